import type { Command } from "commander";

/** A command as a shell completes it. */
export interface Node {
  /** `` of the program itself, `/deployments`, `/deployments/list`. */
  readonly path: string;
  readonly description: string;
  readonly children: readonly {
    readonly name: string;
    readonly path: string;
    readonly description: string;
  }[];
  readonly flags: readonly Flag[];
  /** What its argument may be, where only some words may stand there. */
  readonly words: readonly string[];
}

export interface Flag {
  /** `--config`, and `-c` where it has a short form. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: Value;
}

/** What stands after a flag: nothing, a path, one of some words, or something that no shell can know. */
export type Value = "none" | "path" | "any" | readonly string[];

/** Flags whose value is a file, or, of the ledger, mostly one. */
const PATHS = /<(file|ledger)>/;

/** Each command that is not hidden, the program itself first. */
export function treeOf(command: Command, path = ""): readonly Node[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((each) => command.commands.includes(each));
  const children = below.map((each) => ({
    name: each.name(),
    path: `${path}/${each.name()}`,
    description: each.description(),
  }));
  const flags = help.visibleOptions(command).map((option): Flag => {
    const { short, long, flags: text, argChoices, required, optional } = option;
    const names = [long, short].filter((name) => name !== undefined);
    const takes = PATHS.test(text) ? "path" : (argChoices ?? "any");
    return { names, description: option.description, value: required || optional ? takes : "none" };
  });
  const words = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const node = { path, description: command.description(), children, flags, words };
  return [node, ...below.flatMap((each) => treeOf(each, `${path}/${each.name()}`))];
}
