import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { columns } from "../agent/fleet/text/text.ts";
import { countOf, someOf } from "../proof/arguments.ts";
import type { Books } from "./books.ts";
import { type Client, playOne } from "./play.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";

/**
 * What services did to their users in public, played against this product and against other clients, by the books of the
 * simulated service: `npm run arena -- [--client "NAME=COMMAND"] [--only SCENARIO,SCENARIO] [--speed 20] [--at-once 3]`.
 */
const { values } = parseArgs({
  options: {
    client: { type: "string", multiple: true, default: [] },
    only: { type: "string" },
    speed: { type: "string", default: "20" },
    "at-once": { type: "string", default: `${Math.max(2, availableParallelism())}` },
  },
});
const names = SCENARIOS.map(({ name }) => name);
const chosen = someOf("--only", values.only, names);
const speed = countOf("--speed", values.speed);
const ending = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => ending.abort());

const node = JSON.stringify(process.execPath);
const client = (file: string): string =>
  `exec ${node} ${JSON.stringify(join(import.meta.dirname, "clients", file))}`;
const clients: readonly Client[] = [
  { name: "fleetkeeper", command: client("fleetkeeper.ts") },
  { name: "retries until it has an id", command: client("retry.ts") },
  { name: "looks at the list, launches what lacks", command: client("look.ts") },
  ...values.client.map(named),
];

const plays = SCENARIOS.filter(({ name }) => chosen.includes(name)).flatMap((scenario) =>
  clients.map((each) => ({ scenario, client: each })),
);
const books = new Map<string, Books>();
const left = [...plays];
const worker = async (): Promise<void> => {
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    books.set(key(one), await playOne(one.client, one.scenario, speed, ending.signal));
    process.stderr.write(`${books.size} of ${plays.length} played\n`);
  }
};
await Promise.all(Array.from({ length: countOf("--at-once", values["at-once"]) }, worker));

for (const { name, says } of SCENARIOS.filter((each) => chosen.includes(each.name))) {
  process.stdout.write(`\n${name}: ${says}\n`);
  const rows = plays
    .filter(({ scenario }) => scenario.name === name)
    .map((one) => {
      const { doubled, short, left: more, launches, usd } = books.get(key(one)) as Books;
      return [one.client.name, hours(doubled), hours(short), `${more}`, `${launches}`, usd];
    });
  const head = ["client", "GPU-hours too many", "too few", "machines left", "launches", "USD"];
  process.stdout.write(`${columns([head, ...rows])}\n`);
}
const ours = plays
  .filter((one) => one.client.name === "fleetkeeper")
  .map((one) => books.get(key(one)) as Books);
process.exitCode = ours.some(({ left: more }) => more > 0) ? 1 : 0;

function key({
  scenario,
  client: { name },
}: {
  readonly scenario: Scenario;
  readonly client: Client;
}): string {
  return `${scenario.name} ${name}`;
}

function hours(value: number): string {
  return value.toFixed(2);
}

function named(text: string): Client {
  const [, name, command] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && command !== undefined) return { name, command };
  throw new Error(`--client: expected NAME=COMMAND, such as mine=./keep.py, got ${text}`);
}
