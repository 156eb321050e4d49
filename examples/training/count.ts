import { readFileSync } from "node:fs";

/** What the interruptions cost, from the log of all machines. Ends with 1 if a step is missing, or too many were repeated. */
const EVERY = 10;
const lines = readFileSync("steps.log", "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" "));
const steps = lines.map(([step]) => Number(step));
const machines = new Set(lines.map(([, machine]) => machine)).size;
const last = Math.max(...steps);
const different = new Set(steps).size;
const lost = last - different;
const repeated = steps.length - different;
console.log(`${last} steps on ${machines} machines, ${lost} lost, ${repeated} done again`);
if (lost > 0 || repeated >= EVERY * (machines - 1)) process.exitCode = 1;
