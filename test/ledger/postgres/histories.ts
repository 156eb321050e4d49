import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { buildGoProgram } from "../../../scripts/setup/go-program.mjs";
import type { HistoryChild } from "./history-plants.ts";

/** Where a process stands: a moment of this computer's clock, as histories have it. */
export const moment = (): number => Number(process.hrtime.bigint());

/** How many histories of each kind are played: 1, or as many as HISTORIES says. */
export const HISTORIES: readonly number[] = Array.from(
  { length: Number(process.env.HISTORIES ?? 1) },
  (_, at) => at + 1,
);

const SCRIPT = new URL("./history-child.ts", import.meta.url).pathname;

export type Line = Readonly<Record<string, unknown>>;
type Judge = (history: readonly Line[]) => { readonly holds: boolean | undefined; readonly said: string };

/** Porcupine searches one order that explains a history (proof/postgres/histories). Undefined: it cannot be built here. In CI that is a failure. */
export async function builtJudge(): Promise<Judge | undefined> {
  // With the homes of this run's tests it goes away.
  const folder = mkdtempSync(join(process.env.HOMES_OF_TESTS ?? tmpdir(), "histories-"));
  const checker = join(folder, "histories");
  const built = await buildGoProgram({
    ...{ what: "the checker of histories", takes: "some seconds", command: ".", output: checker },
    recipe: join(import.meta.dirname, "../../../proof/postgres/histories"),
    log: join(folder, "log"),
    env: process.env,
  });
  if (built && process.env.CI) throw new Error(built.failed);
  if (built) return undefined;
  return (history) => {
    const input = history.map((line) => JSON.stringify(line)).join("\n");
    const { status, stdout } = spawnSync(checker, { input, encoding: "utf8" });
    return { holds: [true, false][status ?? 2], said: stdout };
  };
}

interface Running {
  readonly lines: Line[];
  readonly ended: Promise<number>;
  /** It does so many rounds more. */
  go(rounds: number): void;
  /** It ends once it has done them. */
  end(): void;
  /** It stands still for so long. */
  pause(ms: number): Promise<void>;
}

/** `under`: a command that runs the one that it is given. */
function start(given: HistoryChild, under: readonly string[]): Running {
  const [file = "", ...parameters] = [...under, process.execPath, "--no-warnings", SCRIPT];
  const child = spawn(file, [...parameters, JSON.stringify(given)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line) as Line));
  return {
    lines,
    ended: once(child, "close").then(([code]) => code as number),
    go: (rounds) => void child.stdin.write(`${rounds}\n`),
    end: () => void child.stdin.end(),
    pause: async (ms) => {
      child.kill("SIGSTOP");
      await sleep(ms);
      child.kill("SIGCONT");
    },
  };
}

/** Rounds that each process does at a time. */
const ROUNDS = 10;

/** Processes that decide on one ledger, as often as they are told to: however slow this one is, they are not done before it. */
export function startAll(
  processes: readonly HistoryChild[],
  under: (number: number) => readonly string[] = () => [],
) {
  const all = processes.map((given) => start(given, under(given.number)));
  const lines = (): readonly Line[] => all.flatMap((each) => each.lines);
  const go = (): void => {
    for (const each of all) each.go(ROUNDS);
  };
  return {
    all,
    /** Each does more rounds. Returns once so many sums were stored that were not begun before this: they go on meanwhile. */
    more: async (stored: number): Promise<void> => {
      const since = moment();
      go();
      const known = (): number =>
        lines().filter(({ kind, value, call }) => kind === "add" && value !== null && Number(call) > since)
          .length;
      await expect.poll(known, { timeout: 120_000 }).toBeGreaterThanOrEqual(stored);
    },
    /** All that they said, once they have done some more and ended well. */
    history: async (): Promise<readonly Line[]> => {
      go();
      for (const each of all) each.end();
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => 0));
      return lines();
    },
  };
}
