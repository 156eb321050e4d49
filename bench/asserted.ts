import { rmSync } from "node:fs";
import Big from "big.js";
import { admit } from "../launch/admit/admit.ts";
import { holdText } from "../launch/facts/hold.ts";
import { storeAnswer } from "../launch/resolve/answer.ts";
import { demandAgreement } from "../ledger/agreed.ts";
import type { Draft } from "../ledger/draft.ts";
import { keepDeployment, keepIntent } from "../ledger/kept.ts";
import { fleetOwner } from "../ledger/owner.ts";
import { readDraft } from "../ledger/read-draft.ts";
import { cpuSince, type Figure } from "./figure.ts";
import { benchLedger, contextOf, fill, intentOf, wishOf } from "./rows.ts";

/*
 * What is asserted of a decision before it is stored (docs/how/assertions.md), beside the decision: for a launch of a fleet with a
 * limit an hour, and for a list that shows 1,000 machines otherwise. Too short to be measured once, it is repeated.
 */

const MACHINES = 1_000;
const TIMES = 50;
const OWNER = fleetOwner("bench");
const WISH = { gpus: 2 * MACHINES, budget: { perHour: "1000000" } };

const { folder, ledger, key } = await benchLedger();
const context = () => contextOf(ledger.id);
const launched = (number: number) => intentOf("launch", number);
const machine = (number: number) => `machine-${number}`;

/** CPU in µs of this decision and of its assertions, all of them so far. */
async function measure(sum: [number, number], decision: (draft: Draft) => unknown): Promise<void> {
  const before = await readDraft({ ledger, account: key });
  let tried: Draft | undefined;
  const begun = process.cpuUsage();
  await ledger.decide(key, (draft) => {
    tried = draft;
    decision(draft);
  });
  sum[0] += 1000 * cpuSince(begun);
  const draft = tried as Draft;
  const repeated = process.cpuUsage();
  for (let time = 0; time < TIMES; time++) {
    for (const change of draft.changes) {
      if (change.table === "intent") keepIntent(before.intents.get(change.row.id), change.row);
      if (change.table === "deployment")
        keepDeployment(draft, before.deployments.get(change.row.id), change.row);
    }
    demandAgreement(draft);
  }
  sum[1] += (1000 * cpuSince(repeated)) / TIMES;
}

const WITHIN = { ...wishOf(OWNER), limits: { perHour: Big(WISH.budget.perHour) } };
const SENDER = { boot: "bench", pid: 1, started: "1" };
const launch = (number: number) => (draft: Draft) => {
  draft.putAccount({ ...draft.account, list: context().now });
  const fresh = { id: launched(number), ledger: ledger.id, sender: SENDER };
  const admission = admit(draft, WITHIN, context(), fresh);
  if ("refused" in admission) throw new Error(admission.refused.map((each) => holdText(each)).join("; "));
};
const answer = (number: number) => (draft: Draft) =>
  storeAnswer(draft, launched(number), { kind: "accepted", id: machine(number), deployment: {} }, context());

await ledger.decide(key, (draft) => {
  fill(draft, 0, context());
  draft.putFleet({
    ...{ name: "bench", source: "file:bench", wish: WISH, born: false, birth: null, removed: false },
    ...{ paused: false, pace: 1, reasons: [] },
  });
  for (let number = 0; number < MACHINES; number++) {
    launch(number)(draft);
    answer(number)(draft);
  }
});
const launches: [number, number] = [0, 0];
const lists: [number, number] = [0, 0];
for (let round = 0; round < 60; round++) {
  const sum: [number, number] = round < 10 ? [0, 0] : launches;
  await measure(sum, launch(MACHINES + round));
  await measure(sum, answer(MACHINES + round));
}
for (let round = 0; round < 12; round++)
  await measure(round < 2 ? [0, 0] : lists, (draft) => {
    for (let number = 0; number < MACHINES; number++) {
      const row = draft.deployments.get(machine(number));
      if (row) draft.putDeployment({ ...row, status: `state-${round}` });
    }
  });
ledger.close();
rmSync(folder, { recursive: true });

const figure = (what: string, rounds: number, [decided, asserted]: readonly [number, number]): Figure => ({
  what,
  measured: `${(asserted / rounds).toFixed(0)} µs`,
  against: `the decision: ${(decided / rounds).toFixed(0)} µs`,
  ratio: asserted / decided,
  toReach: "<= 0.03",
});
const figures = [
  figure("asserted of a launch's two decisions, beside 1,000 machines of its fleet", 50, launches),
  figure("asserted of 1,000 machines that a list shows otherwise", 10, lists),
];
process.stdout.write(JSON.stringify(figures));
