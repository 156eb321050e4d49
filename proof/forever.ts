import { execFile, execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { countOf } from "./arguments.ts";
import type { Totals } from "./seeds/seeds.ts";
import { type Batch, type BatchKind, nextFrom, standing } from "./seeds/seeds-done.ts";

/**
 * Plays fresh worlds until it is told to end: `node proof/forever.ts [--jobs 2] [--record FILE] [--batch 200] [--most SEEDS] [--plant NAME]`.
 * The record has what was played, of which commit. A broken seed is shrunk and written beside it, and the play goes on.
 * Exit code 1 if one broke. `--plant` shows what becomes of a broken seed.
 */
const ROOT = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "2" },
    record: { type: "string", default: join(ROOT, ".fleetkeeper", "seeds.jsonl") },
    batch: { type: "string", default: "200" },
    most: { type: "string" },
    plant: { type: "string" },
  },
});
const [jobs, size] = [countOf("--jobs", values.jobs), countOf("--batch", values.batch)];
const most = values.most === undefined ? Number.POSITIVE_INFINITY : countOf("--most", values.most);
const planted = values.plant === undefined ? [] : ["--plant", values.plant];
/** Where this record begins: others begin elsewhere, so what several machines play is fresh on each. */
const base = randomInt(1, 2 ** 32) * 1000;
/** One world of five has a fleet over several services. */
const KINDS: readonly (readonly [BatchKind, number])[] = [
  ["worlds", size],
  ["several", Math.ceil(size / 4)],
];
const ending = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ending.abort());

let left = most;
let isBroken = false;
for (let turn = 0; left > 0 && !ending.signal.aborted; turn++) {
  const [kind, usual] = KINDS[turn % KINDS.length] as (typeof KINDS)[number];
  const seeds = Math.min(usual, left);
  const from = nextFrom(recorded(), kind, base);
  const commit = commitHere();
  const totals = await playHere(kind, from, seeds);
  if (!totals) break;
  left -= seeds;
  if (commitHere() !== commit) {
    process.stdout.write(`${seeds} seeds count for nothing: files were changed while they were played.\n`);
    continue;
  }
  const failed = totals.failed.map(({ seed, violations }) => ({ seed, rule: violations[0]?.rule ?? "" }));
  record({ commit, kind, from, seeds, failed });
  for (const { seed } of failed) await keepStory(commit, kind, Number(seed.replace("several ", "")));
  isBroken ||= failed.length > 0;
  process.stdout.write(`${standing(recorded(), commit)}\n`);
}
process.exitCode = isBroken ? 1 : 0;

function recorded(): readonly Batch[] {
  if (!existsSync(values.record)) return [];
  return readFileSync(values.record, "utf8")
    .split("\n")
    .flatMap((line) => {
      // The last one may be cut: it was killed while it wrote.
      try {
        return [JSON.parse(line) as Batch];
      } catch {
        return [];
      }
    });
}

function record(batch: Batch): void {
  mkdirSync(dirname(values.record), { recursive: true });
  appendFileSync(values.record, `${JSON.stringify(batch)}\n`);
}

/** Undefined if it was told to end: what was half played is no batch. */
async function playHere(kind: BatchKind, from: number, seeds: number): Promise<Totals | undefined> {
  const output = await run([...worldsOf(kind, from, seeds), "--jobs", `${jobs}`, "--json"]);
  if (ending.signal.aborted) return undefined;
  try {
    return JSON.parse(output) as Totals;
  } catch (error) {
    throw new Error(`${kind} from ${from} on: no figures came:\n${output}`, { cause: error });
  }
}

/** Its shortest story, and the command that replays it. */
async function keepStory(commit: string, kind: BatchKind, seed: number): Promise<void> {
  const story = await run(worldsOf(kind, seed, 1));
  const file = join(dirname(values.record), `broken-${kind}-${seed}.txt`);
  writeFileSync(file, `At ${commit}:\n${story}`);
  process.stdout.write(`${story}\nThis stands in ${file}.\n`);
}

function worldsOf(kind: BatchKind, from: number, seeds: number): readonly string[] {
  const several = kind === "several" ? ["--several"] : [];
  return ["--from", `${from}`, "--seeds", `${seeds}`, ...several, ...planted];
}

/** Its exit code is ignored: what it says counts. Where that is nothing, it is what went wrong. */
function run(args: readonly string[]): Promise<string> {
  const all = [join(ROOT, "proof", "run.ts"), ...args];
  const options = { maxBuffer: 64 * 1024 * 1024, signal: ending.signal };
  return new Promise((resolve) => {
    execFile(process.execPath, all, options, (_error, output, problems) => resolve(output || problems));
  });
}

/** With a + where files are changed: such a play speaks for no commit alone. */
function commitHere(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  return `${git("rev-parse", "--short=12", "HEAD")}${git("status", "--porcelain") === "" ? "" : "+"}`;
}
