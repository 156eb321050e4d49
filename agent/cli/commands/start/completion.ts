import type { Command } from "commander";
import { bashScript } from "../../completion/bash.ts";
import { fishScript } from "../../completion/fish.ts";
import { treeOf } from "../../completion/tree.ts";
import { zshScript } from "../../completion/zsh.ts";
import type { CliContext } from "../shared/cli-context.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export type Shell = keyof typeof SCRIPTS;

/** `fleetkeeper completion SHELL`: prints what a shell's start-up file reads. At a Tab nothing is started. */
export async function completionCommand(program: Command, shell: Shell, cli: CliContext): Promise<number> {
  cli.print(SCRIPTS[shell](treeOf(program)));
  return 0;
}
