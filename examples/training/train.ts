import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/*
 * The job: it counts. What it has done after each tenth step is a checkpoint, in a folder that outlives the machine (a
 * bucket, a network disk). It begins where the last checkpoint ends, on whichever machine it runs.
 */
const STEPS = 250;
const EVERY = 10;
const CHECKPOINT = "checkpoints/newest";
const [machine = "here"] = process.argv.slice(2);

const done = existsSync(CHECKPOINT) ? Number(readFileSync(CHECKPOINT, "utf8")) : 0;
for (let step = done + 1; step <= STEPS; step++) {
  await setTimeout(100);
  appendFileSync("steps.log", `${step} ${machine}\n`);
  if (step % EVERY === 0) {
    // Written whole, or not at all: a machine may be gone in the middle of it.
    writeFileSync(`${CHECKPOINT}.new`, String(step));
    renameSync(`${CHECKPOINT}.new`, CHECKPOINT);
  }
}
