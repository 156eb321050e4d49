import { fork } from "node:child_process";
import { parseArgs } from "node:util";
import { countOf, oneOf, someOf } from "./arguments.ts";
import { plant } from "./plant.ts";
import type { Totals } from "./seeds/seeds.ts";

/**
 * Plays seeded worlds and judges them: `node proof/run.ts --seeds 2000 --from 1`. For a failing seed it
 * prints the command that replays it and its shrunk story. Exit code 1 if a seed failed.
 */
const LEDGERS = ["memory", "sqlite", "postgres"] as const;
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: "1" },
    ledger: { type: "string" },
    several: { type: "boolean", default: false },
    plant: { type: "string" },
    trace: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    directed: { type: "string" },
    "until-failure": { type: "boolean", default: false },
    worker: { type: "boolean", default: false },
  },
});
const ledger = values.ledger === undefined ? undefined : oneOf("--ledger", values.ledger, LEDGERS);
const { several } = values;
if (values.plant !== undefined) plant(values.plant);

// Imported only now, so that they import the planted bug.
const { addTotals, noTotals, playAll, playSeeds, scenarioOf } = await import("./seeds/seeds.ts");
const { play } = await import("./play.ts");
const { shrink, storyOf } = await import("./seeds/shrink.ts");
const { figuresOf } = await import("./seeds/report.ts");
const { MUST_REACH } = await import("./world/reached.ts");

/** Worlds that must come to all that worlds come to. */
const ENOUGH = 2000;
const first = countOf("--from", values.from);
const jobs = countOf("--jobs", values.jobs);
const seeds = Array.from({ length: countOf("--seeds", values.seeds) }, (_, index) => first + index);
/** Batches: small enough to show progress, large enough for a worker process to run warm. */
const batchSize = Math.max(1, Math.min(1000, Math.ceil(seeds.length / jobs / 4)));

if (values.directed !== undefined) {
  const { directed, DIRECTED_NAMES } = await import("./stories/index.ts");
  const names =
    values.directed === "all" ? DIRECTED_NAMES : someOf("--directed", values.directed, DIRECTED_NAMES);
  const totals = await playAll(names.flatMap(directed), { untilFailure: values["until-failure"] });
  if (values.json) process.stdout.write(`${JSON.stringify(totals)}\n`);
  else process.stdout.write(`${figuresOf(totals)}\n`);
  for (const { seed } of values.json ? [] : totals.failed) {
    const scenario = names.flatMap(directed).find((each) => each.seed === seed);
    if (scenario) process.stdout.write(`\n${storyOf(await play(scenario), 60)}\n`);
  }
  process.exitCode = totals.failed.length > 0 ? 1 : 0;
} else if (values["until-failure"]) {
  const totals = await playSeeds(seeds, { ledger, several, untilFailure: true });
  process.stdout.write(`${JSON.stringify(totals)}\n`);
  process.exitCode = totals.failed.length > 0 ? 1 : 0;
} else if (values.worker) {
  process.send?.(await playSeeds(seeds, { ledger, several }));
  process.disconnect();
} else if (values.trace) {
  for (const seed of seeds)
    process.stdout.write(`${storyOf(await play(scenarioOf(seed, { ledger, several })), 10_000)}\n`);
} else {
  const totals = await runAll();
  if (values.json) process.stdout.write(`${JSON.stringify(totals)}\n`);
  else process.stdout.write(`\n${figuresOf(totals)}\n`);
  if (totals.failed.length > 0 && !values.json) {
    process.stdout.write(
      `\nfailed: ${totals.failed.map(({ seed, violations }) => `${seed} (${violations[0]?.rule})`).join(", ")}\n`,
    );
  }
  for (const { seed, violations } of values.json ? [] : totals.failed.slice(0, 3)) {
    const number = Number(seed.replace("several ", ""));
    const planted = values.plant === undefined ? "" : ` --plant ${values.plant}`;
    const on = `${several ? " --several" : ""}${ledger === undefined ? "" : ` --ledger ${ledger}`}`;
    process.stdout.write(`\nreplay: node proof/run.ts --from ${number} --seeds 1 --trace${on}${planted}\n`);
    const rule = violations[0]?.rule ?? "";
    process.stdout.write(`${storyOf(await shrink(scenarioOf(number, { ledger, several }), rule), 40)}\n`);
  }
  const missed = totals.seeds < ENOUGH || several ? [] : MUST_REACH.filter((state) => !totals.reached[state]);
  if (missed.length > 0) process.stderr.write(`\nno world came to: ${missed.join(", ")}\n`);
  process.exitCode = totals.failed.length + missed.length > 0 ? 1 : 0;
}

/** By name, so that nobody has to wait for the end of a long run. */
function failedOf({ failed }: Totals): string {
  return failed.length === 0
    ? "none failed"
    : `${failed.length} failed: ${failed.map(({ seed }) => seed).join(", ")}`;
}

async function runAll(): Promise<Totals> {
  const totals = noTotals();
  const batches = Array.from({ length: Math.ceil(seeds.length / batchSize) }, (_, index) =>
    seeds.slice(index * batchSize, (index + 1) * batchSize),
  );
  const began = performance.now();
  // A first Ctrl-C ends the run with the figures so far: a long run is not lost.
  process.once("SIGINT", () => batches.splice(0));
  const next = async (): Promise<void> => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      addTotals(totals, jobs > 1 ? await inWorker(batch) : await playSeeds(batch, { ledger, several }));
      const seconds = Math.round((performance.now() - began) / 1000);
      if (!values.json) {
        process.stderr.write(`${totals.seeds} of ${seeds.length} seeds, ${failedOf(totals)}, ${seconds} s\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, next));
  return totals;
}

function inWorker(batch: readonly number[]): Promise<Totals> {
  const args = ["--worker", "--from", String(batch[0]), "--seeds", String(batch.length)];
  if (ledger !== undefined) args.push("--ledger", ledger);
  if (several) args.push("--several");
  if (values.plant !== undefined) args.push("--plant", values.plant);
  return new Promise((resolve, reject) => {
    // Detached: Ctrl-C at the terminal is for this process alone.
    const worker = fork(import.meta.filename, args, { detached: true });
    worker.once("message", (totals) => resolve(totals as Totals));
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`a worker ended with exit code ${code}`)));
  });
}
