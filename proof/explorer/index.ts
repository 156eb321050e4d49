import { parseArgs } from "node:util";
import { plant } from "../plant.ts";
import { PLANTS } from "../plants.ts";
import { LARGE, STANDARD } from "./cases.ts";

/**
 * node proof/explorer/index.ts [--large] [--case TEXT] [--plant NAME]
 *
 * Walks through all states of the standard cases, or the large ones with --large. --case takes the case of
 * this name, or those whose name contains the text. --plant puts a planted bug into the product. Prints the
 * shortest way to a bad state and ends with 1 if it finds one.
 */
const { values } = parseArgs({
  options: {
    large: { type: "boolean", default: false },
    case: { type: "string", default: "" },
    plant: { type: "string" },
  },
});
const cases = values.large ? LARGE : STANDARD;
const exactly = cases.filter(({ name }) => name === values.case);
const chosen = exactly.length > 0 ? exactly : cases.filter(({ name }) => name.includes(values.case));
if (chosen.length === 0)
  throw new Error(`no case is called ${values.case}: ${cases.map(({ name }) => name).join("; ")}`);

if (values.plant !== undefined) plant(values.plant);
// Imported only now, so that they import the planted bug.
const { index } = await import("./decide.ts");
const { explore } = await import("./explore.ts");

const planted = PLANTS.find(({ name }) => name === values.plant);
index.held = planted?.withoutIndex !== true;
for (const world of chosen) {
  const before = process.cpuUsage().user;
  const { states, steps, settled, depth, sampled, bad } = explore(world, { sample: planted ? 0 : 500 });
  const seconds = ((process.cpuUsage().user - before) / 1e6).toFixed(1);
  process.stdout.write(
    `${world.name}, ${world.faults} faults: ${states} states, ${steps} steps, ${settled} settled, ` +
      `${depth} steps deep, ${sampled} pairs held against each other, ${seconds} s\n`,
  );
  if (!bad) continue;
  const path = bad.path.map((words, at) => `  ${String(at + 1).padStart(3)} ${words}\n`);
  process.stdout.write(`  BAD: ${bad.what}\n${path.join("")}`);
  process.exitCode = 1;
}
