import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { countOf, oneOf, someOf } from "../arguments.ts";
import { plantEdits } from "../plant.ts";
import { FUZZ_PLANTS } from "./plants.ts";
import type { Target } from "./target.ts";

/**
 * Damages what strangers write, and demands that it is refused clearly, that nothing ends the agent, that nothing is paid twice and
 * nothing stopped wrongly:
 *
 * `node proof/fuzz/index.ts [--target NAME,NAME] [--runs 1000] [--minutes 60] [--seed 7 --path 3:0:1] [--plant NAME] [--planted]`
 *
 * `--minutes`: fresh seeds for so long. `--planted`: each bug of plants.ts has to be found.
 */
const { values } = parseArgs({
  options: {
    target: { type: "string" },
    runs: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string", default: "1" },
    path: { type: "string" },
    plant: { type: "string" },
    planted: { type: "boolean", default: false },
  },
});

// What nobody waits for ends an agent, too.
process.on("unhandledRejection", (error) => {
  throw error;
});

if (values.planted) huntAll();
else {
  const names = FUZZ_PLANTS.map(({ name }) => name);
  const planted = values.plant === undefined ? undefined : oneOf("--plant", values.plant, names);
  if (planted) plantEdits(planted, FUZZ_PLANTS.find(({ name }) => name === planted)?.edits ?? []);
  const { TARGETS } = await import("./targets.ts");
  await fuzzAll(TARGETS);
}

async function fuzzAll(targets: readonly Target[]): Promise<void> {
  const only = someOf(
    "--target",
    values.target,
    targets.map(({ name }) => name),
  );
  const chosen = targets.filter(({ name }) => only.includes(name));
  const minutes = values.minutes === undefined ? 0 : countOf("--minutes", values.minutes);
  const until = performance.now() + minutes * 60_000;
  let seed = countOf("--seed", values.seed);
  do {
    for (const each of chosen) await fuzz(each, seed);
    seed += 1;
  } while (performance.now() < until && !process.exitCode);
  // Each has its folder from the beginning.
  for (const { close } of targets) await close?.();
}

async function fuzz({ name, inputs, run, runs: usual }: Target, seed: number): Promise<void> {
  const numRuns = values.runs === undefined ? usual : countOf("--runs", values.runs);
  const replayed = values.path === undefined ? {} : { path: values.path, endOnFailure: true };
  const property = fc.asyncProperty(inputs, async (input) => {
    await run(input);
  });
  const found = await fc.check(property, { seed, numRuns, ...replayed });
  if (!found.failed) {
    process.stdout.write(`${name}: ${found.numRuns} runs of seed ${seed}, 0 broken\n`);
    return;
  }
  const { errorInstance, counterexample, counterexamplePath } = found;
  const error = errorInstance instanceof Error ? errorInstance.stack : String(errorInstance);
  process.stdout.write(
    `${name}: BROKEN after ${found.numRuns} runs\n${error}\ndamage: ${JSON.stringify(counterexample?.[0])}\n` +
      `$ node proof/fuzz/index.ts --target ${name} --seed ${seed} --path ${counterexamplePath}\n`,
  );
  process.exitCode = 1;
}

function huntAll(): void {
  for (const { name, target } of FUZZ_PLANTS) {
    const found = isFound(name, target);
    process.stdout.write(`${name}: ${found ? "found" : "NOT FOUND"} by ${target}\n`);
    if (!found) process.exitCode = 1;
  }
}

/** A bug that the process cannot even start with is found by nobody. */
function isFound(plant: string, target: string): boolean {
  try {
    execFileSync(process.execPath, [import.meta.filename, "--plant", plant, "--target", target], {
      encoding: "utf8",
    });
    return false;
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout).includes(`${target}: BROKEN`);
  }
}
