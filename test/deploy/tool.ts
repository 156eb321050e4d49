import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe } from "vitest";
import { isCi } from "../../scripts/setup/set-up.mjs";

export const root: string = join(import.meta.dirname, "..", "..");

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** Where a program is on the PATH; undefined: nowhere. */
export function found(program: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What `npm test` installs: in a CI it is a failure if one of them is missing. */
const PROVIDED = ["docker-compose", "hadolint", "kubernetes-validate", "promtool", "shellcheck"];

/** A suite with a program that is no dependency. Where there is none it is skipped by its name. */
export function describeWith(program: string, name: string, suite: () => void): void {
  if (found(program) || (isCi(process.env) && PROVIDED.includes(program))) return void describe(name, suite);
  const how = PROVIDED.includes(program) ? "; npm test installs it where it may" : "";
  describe.skip(`${name} [skipped: no ${program} on the PATH${how}]`, suite);
}

/** What a program prints on both outputs, and its exit code. */
export function run(
  program: string,
  args: readonly string[],
  options: { readonly input?: string; readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): { readonly code: number | null; readonly said: string } {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    cwd: root,
    ...options,
  });
  if (error) throw error;
  return { code: status, said: stdout + stderr };
}

/** The standard output of a program that must succeed. */
export function output(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: "utf8", cwd: root });
}
