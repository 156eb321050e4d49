import type { ChildProcess, StdioOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const KILLER = pathToFileURL(resolve(import.meta.dirname, "kill-at.ts")).href;

/** How often a process came past each moment at which it can be killed. */
export type Passed = Readonly<Record<string, number>>;

/** A process of Node that kills itself where it is told to: see kill-at.ts. */
export function spawnKillable(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly stdout: "ignore" | "pipe" },
): ChildProcess {
  const { cwd, env, stdout } = options;
  const stdio: StdioOptions = ["ignore", stdout, "ignore", "ipc"];
  return spawn(process.execPath, ["--no-warnings", "--import", KILLER, ...args], { cwd, env, stdio });
}

/** Names the moment from which the process does not come back, or none. Gives what it has passed up to now. */
export async function killAt(child: ChildProcess, moment: string): Promise<Passed> {
  const answer = once(child, "message");
  child.send(moment);
  const [passed] = await answer;
  return passed;
}

/** Each moment that was passed, as `killAt` takes it. */
export function momentsOf(passed: Passed): readonly string[] {
  return Object.entries(passed).flatMap(([moment, times]) =>
    Array.from({ length: times }, (_, index) => `${moment} ${index + 1}`),
  );
}

/**
 * Of three runs that nothing disturbs, the moments of the shortest. On a busy machine a list may come late and store one
 * state more, which the next run does not meet.
 */
export async function fewestMoments(
  undisturbed: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const runs = [await undisturbed(), await undisturbed(), await undisturbed()];
  return runs.reduce((one, other) => (other.length < one.length ? other : one));
}

/** A run that came to its end without the moment at which it was to be killed: on a busy machine a list comes late or early. */
export class NotMet extends Error {}

const TRIES = 5;

/**
 * Plays every moment, six at a time since most of it is waiting, and gives what went wrong. A moment that a run does not meet
 * is waited for in others. The figures belong in the log.
 */
export async function playEach(
  name: string,
  moments: readonly string[],
  play: (moment: string) => Promise<void>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const rest = moments.values();
  const untilMet = async (moment: string, tries = TRIES): Promise<void> => {
    try {
      await play(moment);
    } catch (error) {
      if (!(error instanceof NotMet) || tries === 1) throw error;
      await untilMet(moment, tries - 1);
    }
  };
  const player = async (): Promise<void> => {
    for (const moment of rest) await untilMet(moment).catch((error) => problems.push(`${moment}: ${error}`));
  };
  await Promise.all(Array.from({ length: 6 }, player));
  console.log(`${name}: ${moments.length - problems.length} of ${moments.length} points`);
  return problems;
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
