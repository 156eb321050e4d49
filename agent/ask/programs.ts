import { accessSync, closeSync, constants, openSync, readdirSync, readSync, statSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { FleetDeclaration } from "../fleet/declare/fleets.ts";
import { commandsOf, isProgramName } from "../fleet/phase/commands.ts";

/** A program that a fleet asks for and that cannot be run on this machine. */
export interface ProgramProblem {
  readonly fleet: FleetDeclaration;
  /** The key of its wish: `ready`. */
  readonly key: string;
  readonly why: string;
  readonly remedy: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Looks now, since the moment at which a machine is asked is too late. */
export function programProblems(
  fleets: readonly FleetDeclaration[],
  { PATH }: Environment,
): readonly ProgramProblem[] {
  return fleets.flatMap((fleet) =>
    programsOf(fleet).flatMap(({ key, program }) => {
      const problem = whyNotRun(program, folderOf(fleet), PATH);
      return problem ? [{ fleet, key, ...problem }] : [];
    }),
  );
}

/**
 * Why no command that is run here reaches a machine by `ssh`; undefined: it may. A minimal image has none, and OpenSSH's runs for no
 * user without a name, as a container's may be. `userName` undefined: this user has none.
 */
export function whyNoSsh(
  fleets: readonly FleetDeclaration[],
  { PATH }: Environment,
  userName: string | undefined,
): string | undefined {
  if (fleets.every((fleet) => programsOf(fleet).length === 0)) return undefined;
  if (onPath("ssh", PATH ?? "") === undefined) return "there is no ssh here";
  return userName === undefined
    ? "this user has no name (in /etc/passwd), and ssh runs for none such"
    : undefined;
}

function folderOf({ source }: FleetDeclaration): string {
  return dirname(source.slice("file:".length));
}

/** Those of a stack are in a folder of the agent's own. */
function programsOf({ source, wish }: FleetDeclaration) {
  return source.startsWith("file:") ? commandsOf(wish) : [];
}

/** The programs that fleets of stacks may have run on this machine, by their names in one folder. Throws CONFIG if it cannot be read. */
export function stackCommands({ FLEETKEEPER_COMMANDS: folder }: Environment): readonly string[] {
  if (folder === undefined) return [];
  try {
    return readdirSync(folder)
      .filter((name) => isProgramName(name) && isExecutable(join(folder, name)))
      .sort();
  } catch (cause) {
    throw new FleetkeeperError(
      "CONFIG",
      `FLEETKEEPER_COMMANDS: expected a folder with the programs that fleets of stacks may run, and ${folder} cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Why a program cannot be run on this machine, in a folder; undefined: it can. */
export function whyNotRun(
  program: string,
  folder: string,
  path = "",
): Omit<ProgramProblem, "fleet" | "key"> | undefined {
  if (!program.includes("/")) {
    if (onPath(program, path) !== undefined) return undefined;
    return {
      why: `there is no ${program} in any folder of the PATH`,
      remedy: `Install ${program}, or write its path. A file in ${folder} is ./${program}`,
    };
  }
  const file = resolve(folder, program);
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat?.isFile())
    return {
      why: stat ? `${file} is no file` : `there is no ${file}`,
      remedy: `Correct its path. It begins in ${folder}`,
    };
  if (!isExecutable(file)) return { why: `${file} may not be executed`, remedy: `chmod +x ${file}` };
  const [asked, found] = interpreterOf(file, path);
  if (found) return undefined;
  return {
    why: `${file} is to be run by ${JSON.stringify(asked)}, which is not there`,
    remedy: asked.endsWith("\r")
      ? "Its lines end with CR and LF: save it with LF alone"
      : `Install ${asked}, or correct the first line`,
  };
}

/** What runs a script by its first line, and whether that is there. A program that is no script asks for nothing. */
function interpreterOf(file: string, path: string): readonly [asked: string, found: boolean] {
  const [first = ""] = startOf(file).split("\n");
  const [, asked, argument] = /^#![ \t]*([^ \t]+)[ \t]*([^ \t]*)/.exec(first) ?? [];
  if (asked === undefined || process.platform === "win32") return ["", true];
  if (!isExecutable(asked)) return [asked, false];
  if (basename(asked) !== "env" || !/^[A-Za-z]/.test(argument ?? "")) return [asked, true];
  return [argument ?? "", onPath(argument ?? "", path) !== undefined];
}

/** The first bytes of a file, as text; empty where it cannot be read. */
function startOf(file: string): string {
  try {
    const opened = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(256);
      return bytes.toString("latin1", 0, readSync(opened, bytes));
    } finally {
      closeSync(opened);
    }
  } catch {
    return "";
  }
}

function onPath(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => resolve(folder, program))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** What is run, and where: beside the fleet file, in a program's folder, or for a stack in the folder that is there for stacks. */
export function programOf(
  source: string,
  command: readonly string[],
  commands: string | undefined,
): { readonly command: readonly string[]; readonly folder: string } {
  const [kind, path] = [source.split(":", 1)[0], source.slice(source.indexOf(":") + 1)];
  if (kind === "program") return { command, folder: path };
  if (kind === "file") return { command, folder: dirname(path) };
  const [program = "", ...args] = command;
  if (commands === undefined)
    throw new Error(
      "commands of a stack's fleets are run where FLEETKEEPER_COMMANDS names their folder, and here it names none",
    );
  if (!isProgramName(program))
    throw new Error(`expected the name of a program in the folder of FLEETKEEPER_COMMANDS, got ${program}`);
  const folder = resolve(commands);
  return { command: [join(folder, program), ...args], folder };
}
