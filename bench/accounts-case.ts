import { setTimeout as sleep } from "node:timers/promises";
import { openKeeper } from "../account/open.ts";
import { newId } from "../account/open-ledger.ts";
import { declareFleet } from "../agent/fleet/declare/fleets.ts";
import { wishSchema } from "../agent/fleet/wish/wish.ts";
import { tick } from "../agent/reconcile/tick.ts";
import { learn } from "../launch/facts/context.ts";
import type { Keeper } from "../launch/keeper.ts";
import { contextOf } from "../launch/keeper.ts";
import { openPostgresLedger } from "../ledger/postgres/postgres-ledger.ts";
import { cpuSince } from "./figure.ts";
import { ACCOUNT } from "./rows.ts";

/*
 * One agent's share of the accounts of a ledger in PostgreSQL, in a process of its own. Each account has MACHINES
 * machines that run, and a tick at each poll. It prints how late each tick was over, and its CPU a tick, in ms.
 *
 *   node bench/accounts-case.ts DATABASE_URL SERVICE_URL NAME ACCOUNTS MACHINES POLL_MS POLLS
 */

const [url = "", service = "", name = "", ...numbers] = process.argv.slice(2);
const [count = 0, machines = 0, poll = 0, polls = 0] = numbers.map(Number);
const signal = new AbortController().signal;
const opened = await openKeeper(
  {
    baseUrl: service,
    apiKey: "bench",
    profile: `${import.meta.dirname}/bench.profile.yaml`,
    ledger: ":memory:",
    account: "exclusive",
  },
  signal,
  {},
  { gone: 1, poll },
);
const ledger = await openPostgresLedger({ url, newId, now: Date.now() });
const candidates = [{ offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", gpus: 1 }];
const keepers: Keeper[] = [];
for (let number = 0; number < count; number++) {
  const account = await ledger.openAccount({
    ...{ baseUrl: opened.service.baseUrl, tenure: "exclusive" },
    account: { ...ACCOUNT, id: `${name}-${number}` },
  });
  const keeper = { ...opened, ledger, account };
  await ledger.decide(account, (draft) => {
    const fleet = { name: `${name}-${number}`, source: "bench" };
    declareFleet(
      draft,
      { ...fleet, wish: wishSchema.parse({ gpus: machines, candidates }) },
      contextOf(keeper),
    );
    learn(draft, keeper.service.profileHash, { proven: true, shown: ["marker"] });
  });
  for (let rounds = 0; (await tick(keeper, signal)).plans[0]?.running !== machines; rounds++)
    if (rounds === 10) throw new Error("its machines were not taken over");
  keepers.push(keeper);
}
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
const lags: number[] = [];
const begun = performance.now();
const cpu = process.cpuUsage();
await Promise.all(
  keepers.map(async (keeper, place) => {
    for (let round = 0; round < polls; round++) {
      const due = begun + poll * (round + place / count);
      await sleep(Math.max(0, due - performance.now()));
      await tick(keeper, signal);
      lags.push(performance.now() - due);
    }
  }),
);
process.stdout.write(`${JSON.stringify({ lags, cpu: cpuSince(cpu) })}\n`);
ledger.close();
await opened.close();
process.exit();
