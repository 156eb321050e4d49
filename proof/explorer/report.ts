import type { Case } from "./case.ts";
import type { Found } from "./explore.ts";

/** One line for a case, and the shortest way to its bad state, if any. */
export function report(
  world: Case,
  { states, steps, settled, depth, sampled, bad }: Found,
  seconds: number,
): string {
  const line =
    `${world.name}, ${world.faults} faults: ${states} states, ${steps} steps, ${settled} settled, ` +
    `${depth} steps deep, ${sampled} pairs held against each other, ${seconds.toFixed(1)} s\n`;
  if (bad === undefined) return line;
  return `${line}  BAD: ${bad.what}\n${bad.path.map((words, at) => `  ${String(at + 1).padStart(3)} ${words}\n`).join("")}`;
}
