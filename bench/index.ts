import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { columns } from "../agent/fleet/text/text.ts";
import type { Figure } from "./figure.ts";

/*
 * What fleetkeeper costs, as ratios to a limit or a rival that is measured in the same run. A figure of another
 * machine, or of a busy minute, says nothing; a ratio does.
 *
 *   npm run bench                all, in some minutes
 *   npm run bench -- tick list   these
 *   npm run bench -- market --market FILE --days 10   a market of a file, see docs/how/whatif.md
 */

/** In the order of the table. Each runs in a process of its own, from bench/NAME.ts. What begins with `--` it is told. */
const BENCHES = [
  "tick",
  "thirty-days",
  "written",
  "samples",
  "list",
  "decision",
  "asserted",
  "durable",
  "postgres",
  "accounts",
  "takeover",
  "offers",
  "plan",
  "three-services",
  "first-hour",
  "market",
  "status",
  "page",
  "clients",
  "requests",
  "replacement",
  "pulumi",
  "start",
  "plugin",
  "proof",
] as const;
type Name = (typeof BENCHES)[number];

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith("--"));
const names = firstOption === -1 ? args.length : firstOption;
const [asked, told] = [args.slice(0, names), args.slice(names)];
const unknown = asked.filter((name) => !(BENCHES as readonly string[]).includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no bench ${unknown.join(", ")}. There are: ${BENCHES.join(", ")}.\n`);
  process.exit(2);
}
const figures: Figure[] = [];
for (const name of BENCHES) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stderr.write(`${name} ...\n`);
  figures.push(...(await figuresOf(name)));
}
const rows = figures.map(({ what, measured, against, ratio, toReach }) => [
  what,
  measured,
  against,
  ratio.toPrecision(3),
  toReach,
]);
const table = columns([["WHAT", "MEASURED", "AGAINST", "RATIO", "TO REACH"], ...rows]);
process.stdout.write(`${table}\n`);

async function figuresOf(name: Name): Promise<readonly Figure[]> {
  // The set-up keeps compiled sources for tests. Users' processes have none.
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const child = spawn(process.execPath, [`${import.meta.dirname}/${name}.ts`, ...told], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`the bench ${name} ended with ${code}`);
  return JSON.parse(printed) as Figure[];
}
