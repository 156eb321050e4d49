import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { columns } from "../agent/fleet/text/text.ts";
import { countOf, oneOf, someOf } from "./arguments.ts";
import { CRASHED, RULES, type Rule } from "./oracles/evidence.ts";
import type { Plant } from "./plants.ts";
import { PLANTS } from "./plants.ts";
import type { Totals } from "./seeds/seeds.ts";

/**
 * Puts each planted bug into the product, one process each, and checks that it is caught: by an oracle in its
 * directed stories, or in random seeds if it has no story, and by the explorer if it names a case. Prints a
 * table. Exit code 1 if one was not caught. Of all bugs it also prints which oracle is needed for which, and an oracle that
 * is needed for none is a failure, too.
 *
 * `node proof/planted.ts [--in stories|seeds|explorer] [--seeds 200] [--jobs 2] [--only NAME,NAME]`
 */
const PLACES = ["stories", "seeds", "explorer"] as const;
export type Place = (typeof PLACES)[number];

/** One bug, and where it must be caught. */
export interface Hunt {
  readonly plant: Plant;
  readonly place: Place;
}

interface Caught extends Hunt {
  /** Where it was caught, and by which oracle; undefined: nowhere. */
  readonly by: { readonly where: string; readonly rule: string } | undefined;
  /** Every rule that it broke in the plays that were judged. */
  readonly rules: ReadonlySet<string>;
}

export function huntsOf(plant: Plant): readonly Hunt[] {
  const places: Place[] = [];
  if (!plant.onlyExplored) places.push(plant.directed ? "stories" : "seeds");
  if (plant.explored !== undefined) places.push("explorer");
  return places.map((place) => ({ plant, place }));
}

async function hunt(hunts: readonly Hunt[], seeds: number, jobs: number): Promise<readonly Caught[]> {
  const left = [...hunts];
  const results: Caught[] = [];
  const worker = async (): Promise<void> => {
    for (let one = left.shift(); one !== undefined; one = left.shift())
      results.push({ ...one, ...(await FIND[one.place](one.plant, seeds)) });
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

type Found = Pick<Caught, "by" | "rules">;
const FIND: Readonly<Record<Place, (plant: Plant, seeds: number) => Promise<Found>>> = {
  stories: (plant) => judged(plant, ["--directed", (plant.directed ?? []).join()]),
  seeds: (plant, seeds) => judged(plant, ["--until-failure", "--from", "1", "--seeds", String(seeds)]),
  explorer: async (plant) => ({ by: await explore(plant), rules: new Set() }),
};

async function judged(plant: Plant, which: readonly string[]): Promise<Found> {
  const totals = await run(plant, which);
  const broken = totals.failed.flatMap(({ violations }) => violations.map(({ rule }) => rule));
  return { by: caughtBy(plant, totals), rules: new Set(broken.filter((rule) => rule !== CRASHED)) };
}

function tableOf(results: readonly Caught[]): string {
  const rows = results.map(({ plant, place, by }) => [
    plant.name,
    plant.rule,
    by ? `${by.rule} (${by.where})` : `NOT CAUGHT (${place})`,
  ]);
  return columns([["planted bug", "rule of the design", "caught by the oracle"], ...rows]);
}

/** What a story alone demands: how many launches and stops there are, and what people are told. */
const OF_A_STORY: readonly string[] = ["launches at least", "launches at most", "stops at most", "told"];

/** How many oracles of every world broke beside this one. */
function othersOf(rules: ReadonlySet<string>, rule: Rule): number {
  return [...rules].filter((each) => each !== rule && !OF_A_STORY.includes(each)).length;
}

/** Which bugs each oracle catches, and which of them nothing else does: without one, the oracle may be taken out unseen. */
function oraclesOf(results: readonly Caught[]): {
  readonly table: string;
  readonly needless: readonly Rule[];
} {
  const rows = RULES.map((rule) => {
    const caught = results.filter(({ rules }) => rules.has(rule));
    const alone = caught.filter(({ rules }) => othersOf(rules, rule) === 0).map(({ plant }) => plant.name);
    return { rule, caught: caught.length, alone };
  });
  const lines = rows.map(({ rule, caught, alone }) => [
    rule,
    `${caught}`,
    `${alone.length}`,
    alone[0] ?? "NONE",
  ]);
  return {
    table: columns([["oracle", "bugs it catches", "it alone", "such as"], ...lines]),
    needless: rows.filter(({ alone }) => alone.length === 0).map(({ rule }) => rule),
  };
}

/** A bug that crashes the simulation was not judged. If a plant names its rule, only that one counts. */
export function caughtBy(plant: Plant, { failed }: Pick<Totals, "failed">): Caught["by"] {
  for (const { seed, violations } of failed) {
    const found = violations.find(
      ({ rule }) => rule !== CRASHED && (plant.oracle === undefined || rule === plant.oracle),
    );
    if (found) return { where: plant.directed ? seed : `seed ${seed}`, rule: found.rule };
  }
  return undefined;
}

async function run(plant: Plant, which: readonly string[]): Promise<Totals> {
  const { output, problems } = await outputOf(["run.ts", "--plant", plant.name, "--json", ...which]);
  try {
    return JSON.parse(output) as Totals;
  } catch {
    throw new Error(`planted bug ${plant.name}: ${problems}`);
  }
}

/** It prints the shortest way to the bad state, step by step. */
async function explore({ name, explored = "" }: Plant): Promise<Caught["by"]> {
  const { output, problems } = await outputOf(["explorer/index.ts", "--plant", name, "--case", explored]);
  if (problems) throw new Error(`planted bug ${name}: ${problems}`);
  const [, what] = / BAD: (.+)\n +1 \S/.exec(output) ?? [];
  return what === undefined ? undefined : { where: `all states: ${explored}`, rule: what };
}

/** Its exit code is ignored: a failure is hoped for. */
function outputOf([script = "", ...args]: readonly string[]): Promise<{ output: string; problems: string }> {
  const all = [join(import.meta.dirname, script), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { maxBuffer: 64 * 1024 * 1024 }, (_error, output, problems) =>
      resolve({ output, problems }),
    );
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      in: { type: "string" },
      seeds: { type: "string", default: "200" },
      jobs: { type: "string", default: "2" },
      only: { type: "string" },
    },
  });
  const known = PLANTS.map(({ name }) => name);
  const only = someOf("--only", values.only, known);
  const places = values.in === undefined ? PLACES : [oneOf("--in", values.in, PLACES)];
  const hunts = PLANTS.filter(({ name }) => only.includes(name))
    .flatMap(huntsOf)
    .filter(({ place }) => places.includes(place));
  const results = await hunt(hunts, countOf("--seeds", values.seeds), countOf("--jobs", values.jobs));
  process.stdout.write(`${tableOf(results)}\n`);
  const caught = results.filter(({ by }) => by !== undefined).length;
  process.stdout.write(`\n${caught} of ${results.length} planted bugs were caught\n`);
  const isAll = values.only === undefined && values.in === undefined;
  const { table, needless } = oraclesOf(results);
  if (isAll) process.stdout.write(`\n${table}\n\n${needless.length} oracles have no bug of their own\n`);
  const isFound = caught === results.length && caught > 0;
  process.exitCode = isFound && !(isAll && needless.length > 0) ? 0 : 1;
}
