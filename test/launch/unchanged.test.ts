import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Context } from "../../launch/facts/context.ts";
import { DEFAULT_SETTINGS, learn } from "../../launch/facts/context.ts";
import { isJudged } from "../../launch/machine/unchanged.ts";
import { observe } from "../../launch/protocol.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { folder } from "../ledger/folder.ts";

/* A judgement of a list's record is not made again while all that it rests on is the same. Here: on a real ledger. */

const RUNS: Deployment = { id: "m1", status: "running", offer: "h100", gpus: 8, pricePerHour: "16.0000" };
const account = {
  id: "a",
  email: "a@example.com",
  display_name: "A",
  created_at: "2030-01-01T00:00:00.000Z",
};
const wire: Context["wire"] = {
  profileHash: "p1",
  abilities: { marker: true, combination: true, get: true },
  isTerminal: () => false,
};

let ledger: Ledger;
let key: string;
let mono = 0;

function contextNow(): Context {
  mono += 15_000;
  return {
    ledger: ledger.id,
    now: { wall: mono, mono, boot: "b" },
    isAlive: () => true,
    wire,
    settings: DEFAULT_SETTINGS,
  };
}

beforeEach(async () => {
  ledger = openSqliteLedger({ path: join(folder(), "ledger.db"), newId: "unchanged0000000", now: 1 });
  key = await ledger.openAccount({ baseUrl: "https://gpus.example.com", account, tenure: "exclusive" });
  await ledger.decide(key, (draft) => learn(draft, "p1", { proven: true }));
  return () => ledger.close();
});

async function list(...deployments: readonly Deployment[]): Promise<void> {
  const context = contextNow();
  await ledger.decide(key, (draft) => observe(draft, { begun: context.now, deployments }, context));
}

const judged = (shown = RUNS, as: Partial<Context> = {}): Promise<boolean> =>
  ledger.decide(key, (draft) => {
    const row = draft.deployments.ever(shown.id);
    return row !== undefined && isJudged(draft, row, shown, { ...contextNow(), ...as });
  });

const change = (decision: (draft: Draft) => unknown): Promise<unknown> => ledger.decide(key, decision);

test("of a machine that runs and one that was interrupted, list after list", async () => {
  const over: Deployment = { id: "m2", status: "interrupted", stopReason: "interrupted" };
  await list(RUNS, over);
  expect([await judged(), await judged(over)]).toEqual([false, false]);
  for (let count = 0; count < 3; count++) {
    await list(RUNS, over);
    expect([await judged(), await judged(over)]).toEqual([true, true]);
  }
});

test.each<[string, () => Promise<unknown>]>([
  ["the profile taught something", () => change((draft) => learn(draft, "p1", { ends: ["halted"] }))],
  [
    "the account is shared",
    () => change((draft) => draft.putAccount({ ...draft.account, tenure: "shared" })),
  ],
  [
    "its row changed",
    () => change((draft) => draft.putDeployment({ ...draft.deployments.ever("m1")!, seen: true })),
  ],
])("but no longer once %s", async (_, happens) => {
  await list(RUNS);
  await list(RUNS);
  expect(await judged()).toBe(true);
  await happens();
  expect(await judged()).toBe(false);
});

test("nor for another record, nor under another profile", async () => {
  await list(RUNS);
  await list(RUNS);
  expect(await judged({ ...RUNS })).toBe(false);
  expect(await judged(RUNS, { wire: { ...wire, profileHash: "p2" } })).toBe(false);
});

test.each<[string, Deployment]>([
  ["starts", { ...RUNS, status: "provisioning" }],
  ["is being stopped", { ...RUNS, status: "stopping" }],
  ["is in a state that nobody named", { ...RUNS, status: "hibernating" }],
  ["has a record that cannot be read whole", { ...RUNS, flaw: "gpus (/gpus) should be a number" }],
])("and never of a machine that %s: time and the number of lists count", async (_, shown) => {
  for (let count = 0; count < 3; count++) {
    await list(shown);
    expect(await judged(shown)).toBe(false);
  }
});
