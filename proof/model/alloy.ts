import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** launch.als, as Alloy takes it. */
export const MODEL: string = join(import.meta.dirname, "launch.als");

/** What a command of the model found: for a check a counterexample, for a run an instance. */
export interface Found {
  readonly command: string;
  /** The actions of it, in their order, with what they are about; undefined: there is none within the bounds. */
  readonly acts: readonly string[] | undefined;
}

/** Runs all commands of the model. In `folder`, which is empty, each instance is a text then; what its solvers leave is there, too. */
export async function runModel(jar: string, folder: string): Promise<readonly Found[]> {
  const found = join(folder, "found");
  const args = ["exec", "-q", "-s", "glucose", "-c", "*", "-t", "text", "-f", "-o", found, MODEL];
  const said = await java(["-Xmx2g", `-Djava.io.tmpdir=${folder}`, "-jar", jar, ...args]);
  const receipt = join(found, "receipt.json");
  if (!existsSync(receipt)) throw new Error(`Alloy ended without a result: ${said}`);
  const { commands } = JSON.parse(readFileSync(receipt, "utf8")) as {
    commands: Record<string, { solution?: unknown }>;
  };
  return Object.entries(commands).map(([command, { solution }]) => ({
    command,
    acts:
      solution === undefined
        ? undefined
        : actsOf(readFileSync(join(found, `${command}-solution-0.txt`), "utf8")),
  }));
}

function actsOf(instance: string): readonly string[] {
  const value = (state: string, field: string): string =>
    new RegExp(`^this/Now<:${field}=\\{(.*)\\}$`, "m").exec(state)?.[1]?.replaceAll(/Now\$0->|\$/g, "") ?? "";
  return instance
    .split("------State ")
    .slice(1)
    .map((state) => `${value(state, "act").slice(0, -1)} ${value(state, "on")}`.trim());
}

function java(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn("java", args, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    child.once("error", reject);
    child.once("close", () => resolve(said));
  });
}
