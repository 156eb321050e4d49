import { describe, expect, it, test } from "vitest";
import { type Budget, declareBudgets } from "../../agent/fleet/declare/budgets.ts";
import { storeBudgetAlerts } from "../../agent/fleet/money/budget-alerts.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { enterSlot, SLOT_RULES, setLabels } from "../../launch/people/slot.ts";
import { launch, takeList } from "../../launch/protocol.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { type Truth, VirtualClock } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const VISION = { team: "vision" };
const SIGNAL = new AbortController().signal;
const wish = (labels: WishInput["labels"], gpus = 8): WishInput => ({
  gpus,
  candidates: [{ ...candidate(H100), pricePerHour: "16" }],
  labels,
});

function limit({ keeper }: Stage, budgets: readonly Budget[], source = "file:fleet.yaml") {
  return keeper.ledger.decide(keeper.account, (draft) => declareBudgets(draft, source, budgets, () => false));
}

/** What the service took for launches, by its own truth. */
function taken({ machines }: Truth): number {
  return machines.length * 16;
}

/** The keeper of another process, on another host as far as anybody can tell. */
function another({ keeper }: Stage, pid: number): Keeper {
  const { clock } = keeper;
  return {
    ...keeper,
    clock: {
      ...clock,
      now: () => clock.now(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      self: { ...clock.self, pid },
    },
  };
}

/** A launch as `pulumi up` makes it. */
async function launchInto(keeper: Keeper, slot: string, labels: Readonly<Record<string, string>>) {
  await keeper.ledger.decide(keeper.account, (draft) => {
    enterSlot(draft, slot, slot, contextOf(keeper));
    setLabels(draft, slot, labels);
  });
  const { offer, provider, location } = H100;
  return launch(
    keeper,
    {
      ...{ offer, provider, location, gpus: 8, pricePerHour: "16.0000", parameters: {} },
      ...{ owner: slotOwner(slot), limits: {}, rules: SLOT_RULES },
    },
    SIGNAL,
  );
}

describe("no launch goes above a limit over a label", () => {
  it("whoever launches: two keepers on one ledger, at once, and an agent", async () => {
    const on = await onStage();
    await limit(on, [{ label: VISION, perDay: "40" }]);
    const keepers = [2, 3].map((pid) => another(on, pid));
    for (const keeper of keepers) await takeList(keeper, SIGNAL);
    const tries = keepers.flatMap((keeper, index) =>
      ["a", "b", "c"].map((name) => launchInto(keeper, `${name}${index}`, VISION)),
    );
    await Promise.all(tries);
    // Where a list cannot tell two launches apart, one waits: each tries again until it has an answer.
    for (let round = 0; round < 4; round++) {
      await on.clock.advance(MINUTE);
      for (const [index, keeper] of keepers.entries()) {
        await takeList(keeper, SIGNAL);
        for (const name of ["a", "b", "c"]) await launchInto(keeper, `${name}${index}`, VISION);
      }
    }
    expect(taken(on.simulator.truth())).toBe(32);
    const refused = await launchInto(keepers[0] as Keeper, "d", VISION);
    expect(refused).toMatchObject({
      kind: "refused",
      holds: [{ kind: "sharedPerDay", numbers: { sum: "48.00" } }],
    });
    await on.declare({ training: wish(VISION), other: wish({ team: "speech" }) });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(on.launches()).toBe(3);
    expect(reasonsOf(on)).toContain(
      "the budget of 40.00 USD a day for team=vision, until midnight UTC (32.00 are spent)",
    );
  });

  it("and the account's own limit counts what has no label", async () => {
    const on = await onStage();
    await limit(on, [{ total: "50" }]);
    await on.declare({ training: wish(VISION, 16), other: wish(undefined, 32) });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(taken(on.simulator.truth())).toBe(48);
    await limit(on, [{ total: "80" }]);
    await on.clock.advance(10 * MINUTE);
    expect(taken(on.simulator.truth())).toBe(80);
  });

  it("on the next day there is room again, and what runs is not stopped", async () => {
    // In the evening: each round of a day in which it waits would be played.
    const on = await onStage({ clock: new VirtualClock(Date.UTC(2030, 0, 1, 20)) });
    await limit(on, [{ label: VISION, perDay: "40" }]);
    await on.declare({ training: wish(VISION, 32) });
    on.start();
    await on.clock.advance(3 * HOUR);
    expect(on.alive()).toHaveLength(2);
    const wall = on.clock.now();
    await on.clock.advance(24 * HOUR - (wall % (24 * HOUR)) + 5 * MINUTE);
    expect(on.alive().length).toBeGreaterThan(2);
    expect(on.simulator.truth().machines.every(({ endedAt }) => endedAt === null)).toBe(true);
  });

  it("nor with a price that nobody knows", async () => {
    const on = await onStage();
    await limit(on, [{ label: VISION, total: "1000" }]);
    const keeper = another(on, 2);
    await takeList(keeper, SIGNAL);
    await keeper.ledger.decide(keeper.account, (draft) => {
      enterSlot(draft, "s", "s", contextOf(keeper));
      setLabels(draft, "s", VISION);
    });
    const asked = { ...H100_SOUTH, gpus: 8, pricePerHour: null, parameters: {} };
    const of = { owner: slotOwner("s"), limits: {}, rules: SLOT_RULES };
    expect(await launch(keeper, { ...asked, ...of }, SIGNAL)).toMatchObject({
      kind: "refused",
      holds: [{ kind: "unpriced" }],
    });
  });
});

test("people are told once each at 50, 80 and 100 percent, of a day's limit anew the next day", async () => {
  const on = await onStage();
  await limit(on, [{ label: VISION, perDay: "64" }]);
  await on.declare({ training: wish(VISION, 8) });
  const tell = () =>
    on.keeper.ledger.decide(on.keeper.account, (draft) => storeBudgetAlerts(draft, contextOf(on.keeper)));
  const told = async () =>
    (await on.keeper.ledger.events(on.keeper.account, 1_000))
      .filter(({ kind }) => kind === "budget")
      .map(({ text }) => text)
      .reverse();
  on.start();
  for (let hour = 0; hour < 5; hour++) {
    await on.clock.advance(HOUR);
    await tell();
    await tell();
  }
  const day = await told();
  expect(day).toEqual([
    "team=vision: 32.00 USD of 64.00 a day are spent, 50 % or more",
    expect.stringMatching(
      /^team=vision: 64\.00 USD of 64\.00 a day are spent, 100 % or more: nothing more is launched for it$/,
    ),
  ]);
  const wall = on.clock.now();
  await on.clock.advance(24 * HOUR - (wall % (24 * HOUR)) + 90 * MINUTE);
  await tell();
  expect((await told()).length).toBe(3);
});

test("a limit is its file's: another file adds its own, and one that is gone takes it along", async () => {
  const on = await onStage();
  await limit(on, [{ label: VISION, perDay: "40" }]);
  expect(await limit(on, [{ total: "500" }], "file:/other.yaml")).toEqual([
    "budgets: the whole account: 500.00 USD in all",
  ]);
  expect((await draftOf(on)).account.budgets).toHaveLength(2);
  const texts = await on.keeper.ledger.decide(on.keeper.account, (draft) =>
    declareBudgets(draft, "file:/other.yaml", [], (source) => source === "file:fleet.yaml"),
  );
  expect(texts).toEqual([
    "budgets: no more team=vision: 40.00 USD a day",
    "budgets: no more the whole account: 500.00 USD in all",
  ]);
  expect((await readDraft(on.keeper)).account.budgets).toBeUndefined();
});
