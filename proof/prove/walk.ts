import type { Part } from "./part.ts";

/** What became of one part. */
export interface Result {
  readonly passed: boolean;
  readonly output: string;
}

/** Where earlier results are found and new ones kept. */
interface Memory {
  hasPassed(part: string): boolean;
  add(entry: { readonly part: string; readonly passed: boolean; readonly seconds: number }): void;
}

export interface Walk {
  readonly parts: readonly Part[];
  readonly jobs: number;
  readonly run: (part: Part) => Promise<Result>;
  readonly journal: Memory;
  /** True if the sources are still those of the journal. */
  readonly isUnchanged: () => boolean;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/** How a walk ended. `passed` includes earlier runs. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Runs every part that has not passed yet, `jobs` at a time, and prints how each ended. An interruption, or a
 * change of the sources, is one failure: an unfinished walk proves nothing.
 */
export async function walk(options: Walk): Promise<Counts> {
  const { parts, jobs, run, journal, isUnchanged, print, signal } = options;
  const left = parts.filter(({ name }) => !journal.hasPassed(name));
  const earlier = parts.length - left.length;
  if (earlier > 0) print(`${earlier} of ${parts.length} parts passed in an earlier run of the same sources`);
  const began = performance.now();
  let passed = earlier;
  const failed: string[] = [];
  let isStale = false;

  const worker = async (): Promise<void> => {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      const start = performance.now();
      const { passed: isPassed, output } = await run(part);
      if (signal.aborted) return;
      isStale ||= !isUnchanged();
      if (isStale) return;
      const seconds = secondsSince(start);
      journal.add({ part: part.name, passed: isPassed, seconds });
      if (isPassed) passed += 1;
      else failed.push(part.name);
      const done = `[${passed + failed.length} of ${parts.length}, ${minutesSince(began)}]`;
      if (isPassed) print(`${done} ${part.name}: passed in ${seconds} s`);
      else print(`${done} ${part.name}: FAILED\n$ ${commandOf(part)}\n${output}`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));

  for (const name of failed) print(`failed: ${name}`);
  if (isStale) print("FAILED: the sources changed while the proof ran. Run it again.");
  else if (signal.aborted) print("FAILED: interrupted. The same command goes on from here.");
  else if (parts.length === 0) print("FAILED: no part was chosen.");
  const isWhole = !isStale && !signal.aborted && parts.length > 0;
  return { passed, failed: failed.length + (isWhole ? 0 : 1) };
}

/** The command that repeats a part by hand, at the top of the clone. */
function commandOf({ args, env = {} }: Part): string {
  const quoted = (text: string): string => (/^[\w./,=-]+$/.test(text) ? text : `'${text}'`);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...variables, "node", ...args.map(quoted)].join(" ");
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 1000);
}

function minutesSince(start: number): string {
  const seconds = secondsSince(start);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
}
