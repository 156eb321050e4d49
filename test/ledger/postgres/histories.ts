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

const ROUNDS = 40;
const SCRIPT = new URL("./history-child.ts", import.meta.url).pathname;

export type Line = Readonly<Record<string, unknown>>;
type Judge = (history: readonly Line[]) => { readonly holds: boolean | undefined; readonly said: string };

/** Porcupine searches one order that explains a history (proof/postgres/histories). Undefined: it cannot be built here. In CI that is a failure. */
export async function builtJudge(): Promise<Judge | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "histories-"));
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
  /** It stands still for so long. */
  pause(ms: number): Promise<void>;
}

type Given = Omit<HistoryChild, "rounds">;

/** `under`: a command that runs the one that it is given. */
function start(given: Given, under: readonly string[]): Running {
  const [file = "", ...parameters] = [...under, process.execPath, "--no-warnings", SCRIPT];
  const child = spawn(file, [...parameters, JSON.stringify({ ...given, rounds: ROUNDS })], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line) as Line));
  return {
    lines,
    ended: once(child, "close").then(([code]) => code as number),
    pause: async (ms) => {
      child.kill("SIGSTOP");
      await sleep(ms);
      child.kill("SIGCONT");
    },
  };
}

/** Processes that decide on one ledger, until each has done its rounds. */
export function startAll(
  processes: readonly Given[],
  under: (number: number) => readonly string[] = () => [],
) {
  const all = processes.map((given) => start(given, under(given.number)));
  const lines = (): readonly Line[] => all.flatMap((each) => each.lines);
  const known = (): number => lines().filter(({ value }) => value !== null).length;
  return {
    all,
    /** So much more was decided and read. */
    more: async (count: number): Promise<void> => {
      const least = known() + count;
      await expect.poll(known, { timeout: 120_000 }).toBeGreaterThanOrEqual(least);
    },
    /** All that they said, once they have ended well. */
    history: async (): Promise<readonly Line[]> => {
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => 0));
      return lines();
    },
  };
}
