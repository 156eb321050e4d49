import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Service } from "../service/contract/service.ts";
import { isUnread } from "../service/contract/unread.ts";
import { benchAccount } from "./account.ts";
import { type Figure, megabytes } from "./figure.ts";

/*
 * What an agent holds in memory (V8's heap) after thirty days in which a hundred machines a day are lost and
 * replaced, to what it holds once the first of them are archived. The list has a record of each machine that ever
 * was: what its records take is taken off both, and told. Days pass by a clock that the bench puts on.
 */

const RUNNING = 100;
const DAYS = 30;
const DAY_MS = 86_400_000;
const POLL_MS = 120_000;
/** By then machines are archived as fast as others end. */
const SETTLED_DAYS = 4;
const LOSSES_A_DAY = 100;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (how: object) => void;

const account = await benchAccount(RUNNING, 0);
const { keeper } = account;
const { clock, service } = keeper;
let passed = 0;
const list = [...((await service.deployments(new AbortController().signal)) ?? [])];
let launched = 0;
const watched: Service = {
  ...service,
  deployments: async () => [...list],
  launch: async ({ offer, provider, location, marker }) => {
    const [first] = list;
    if (!first || isUnread(first)) throw new Error("the list is empty");
    launched += 1;
    const id = `00000000-0000-4000-9000-${String(launched).padStart(12, "0")}`;
    const fresh = { ...first, id, status: "running", offer, provider, location, marker };
    list.push(fresh);
    return { kind: "accepted", id, deployment: fresh };
  },
};
Object.assign(keeper, {
  service: watched,
  settings: { ...keeper.settings, poll: POLL_MS },
  clock: {
    ...clock,
    self: clock.self,
    isAlive: clock.isAlive.bind(clock),
    sleep: clock.sleep.bind(clock),
    now: () => {
      const now = clock.now();
      return { ...now, wall: now.wall + passed, mono: now.mono + passed };
    },
  },
});

let lost = 0;
/** In bytes. */
interface Held {
  readonly records: number;
  /** All else. */
  readonly beside: number;
}

/** Loses machines and takes lists until so many days have passed. Returns what is held then. */
async function until(days: number): Promise<Held> {
  while (passed < days * DAY_MS) {
    passed += POLL_MS;
    if (Math.floor((passed * LOSSES_A_DAY) / DAY_MS) > lost) {
      const running = list.flatMap((each, index) =>
        !isUnread(each) && each.status === "running" ? [index] : [],
      );
      const index = running[(lost * 37) % running.length] ?? 0;
      const machine = list[index];
      if (machine && !isUnread(machine))
        list[index] = { ...machine, status: "interrupted", stopReason: "interrupted" };
      lost += 1;
    }
    await account.once();
  }
  const all = collected();
  const copies = list.map((each) =>
    isUnread(each) ? each : { ...each, id: anew(each.id), marker: each.marker && anew(each.marker) },
  );
  const records = collected() - all;
  if (copies.length !== list.length) throw new Error("the copies are gone");
  return { records, beside: all - records };
}

/** The heap once all is collected that can be, also code that did not run lately: V8 keeps it while it has room. */
function collected(): number {
  for (let times = 0; times < 3; times++)
    collect({ type: "major", execution: "sync", flavor: "last-resort" });
  return process.memoryUsage().heapUsed;
}

/** A copy of a text, which is held once more. */
function anew(text: string): string {
  return String(Buffer.from(text));
}

const settled = await until(SETTLED_DAYS);
const rows = (await keeper.ledger.read(keeper.account)).deployments.length;
const after = await until(DAYS);
const left = (await keeper.ledger.read(keeper.account)).deployments.length;
await account.close();
if (lost !== DAYS * LOSSES_A_DAY || launched < lost - 1)
  throw new Error(`${launched} replacements of ${lost} losses`);
const figures: Figure[] = [
  {
    what: `memory beside the list's records after ${DAYS} days with ${LOSSES_A_DAY} losses a day: ${RUNNING} run, ${lost} have ended`,
    measured: told(after),
    against: `after ${SETTLED_DAYS} days: ${told(settled)}`,
    ratio: after.beside / settled.beside,
    toReach: "<= 1.05",
  },
  {
    what: "machines that rules go through then",
    measured: String(left),
    against: `after ${SETTLED_DAYS} days: ${rows}`,
    ratio: left / rows,
    toReach: "<= 1.05",
  },
];
process.stdout.write(JSON.stringify(figures));

function told({ beside, records }: Held): string {
  return `${megabytes(beside)} (records: ${megabytes(records)})`;
}
