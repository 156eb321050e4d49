import { execFile } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countOf, someOf } from "./arguments.ts";
import { CRASHED } from "./evidence.ts";
import type { Plant } from "./plants.ts";
import { PLANTS } from "./plants.ts";
import type { Totals } from "./seeds.ts";

/**
 * Puts each planted bug into the product, one process each, and looks whether an oracle catches it: in its directed
 * stories, where it has some, and in random seeds otherwise. Prints the table; exit code 1 if one was not caught.
 *
 * `node proof/planted.ts [--seeds 200] [--jobs 2] [--only NAME,NAME]`
 */
export interface Caught {
  readonly plant: Plant;
  /** Where it was caught, and by which oracle; undefined: nowhere. */
  readonly by: { readonly where: string; readonly rule: string } | undefined;
}

export async function findPlanted(
  plants: readonly Plant[],
  seeds: number,
  jobs = 2,
): Promise<readonly Caught[]> {
  const left = [...plants];
  const results: Caught[] = [];
  const next = async (): Promise<void> => {
    for (let plant = left.shift(); plant !== undefined; plant = left.shift())
      results.push(await find(plant, seeds));
  };
  await Promise.all(Array.from({ length: jobs }, next));
  return plants.flatMap((plant) => results.filter((each) => each.plant === plant));
}

export function tableOf(results: readonly Caught[]): string {
  const rows = results.map(({ plant, by }) => [
    plant.name,
    plant.rule,
    by ? `${by.rule} (${by.where})` : "NOT CAUGHT",
  ]);
  const all = [["planted bug", "rule of the design", "caught by the oracle"], ...rows];
  const width = (column: number): number => Math.max(...all.map((row) => (row[column] ?? "").length));
  return all
    .map((row) =>
      row
        .map((text, column) => text.padEnd(width(column)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

async function find(plant: Plant, seeds: number): Promise<Caught> {
  const totals = plant.directed
    ? await run(plant, ["--directed", plant.directed.join(",")])
    : await run(plant, ["--until-failure", "--from", "1", "--seeds", String(seeds)]);
  return { plant, by: caughtBy(plant, totals) };
}

/** A bug that stops the simulation was not judged; and where a plant names its rule, no other one counts. */
export function caughtBy(plant: Plant, { failed }: Pick<Totals, "failed">): Caught["by"] {
  for (const { seed, violations } of failed) {
    const found = violations.find(
      ({ rule }) => rule !== CRASHED && (plant.oracle === undefined || rule === plant.oracle),
    );
    if (found) return { where: plant.directed ? seed : `seed ${seed}`, rule: found.rule };
  }
  return undefined;
}

function run(plant: Plant, which: readonly string[]): Promise<Totals> {
  const script = join(import.meta.dirname, "run.ts");
  const args = [script, "--plant", plant.name, "--json", ...which];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (error, output, problems) => {
      try {
        // Exit code 1 is what is hoped for: a seed failed.
        resolve(JSON.parse(output) as Totals);
      } catch {
        reject(error ?? new Error(`planted bug ${plant.name}: ${problems}`));
      }
    });
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string", default: "200" },
      jobs: { type: "string", default: "2" },
      only: { type: "string" },
    },
  });
  const known = PLANTS.map(({ name }) => name);
  const only = someOf("--only", values.only, known);
  const plants = PLANTS.filter(({ name }) => only.includes(name));
  const results = await findPlanted(plants, countOf("--seeds", values.seeds), countOf("--jobs", values.jobs));
  process.stdout.write(`${tableOf(results)}\n`);
  const caught = results.filter(({ by }) => by !== undefined).length;
  process.stdout.write(`\n${caught} of ${results.length} planted bugs were caught\n`);
  process.exitCode = caught === results.length ? 0 : 1;
}
