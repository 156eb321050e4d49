import { describe, expect, test } from "vitest";
import { drainFleet, pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { fleetPhase, storePhase } from "../../agent/fleet/phase/fleet-phase.ts";
import { storePausedStops } from "../../agent/fleet/phase/paused-stops.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import { askStop, beginStop, dueStops } from "../../launch/ends/stop.ts";
import { contextOf } from "../../launch/keeper.ts";
import { toBeJudged } from "../../launch/people/slot.ts";
import { launch, takeList } from "../../launch/protocol.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { parseUsd } from "../../service/contract/money.ts";
import type { LaunchBench } from "../launch/bench.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { EIGHT, fleetBench, OSLO, planOn } from "./on-bench.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf, requestsBetween, SECOND } from "./on-stage.ts";

const wish = { gpus: 16, candidates: [candidate(H100)] };

async function eventsOf({ keeper }: Stage): Promise<readonly string[]> {
  return (await keeper.ledger.events(keeper.account, 100)).map(({ kind, text }) => `${kind}: ${text}`);
}

describe("at its deadline a fleet", () => {
  async function untilSoon(more: object = {}): Promise<{ on: Stage; until: number }> {
    const on = await onStage();
    // Between two polls: what only the next one noticed would be too late.
    const until = on.clock.now() + 20 * MINUTE + 7 * SECOND;
    await on.declare({ training: { ...wish, until: new Date(until).toISOString(), ...more } });
    on.start();
    return { on, until };
  }

  test("stops everything at that very moment, launches nothing any more, and says so", async () => {
    const { on, until } = await untilSoon();
    await on.clock.advanceTo(until - 1);
    expect(on.alive()).toHaveLength(2);
    await on.clock.advanceTo(until + SECOND);
    expect(on.alive().map(({ state }) => state)).toEqual(["stopping", "stopping"]);
    await on.clock.advance(60 * MINUTE);
    expect(on.alive()).toEqual([]);
    expect(on.launches()).toBe(2);
    expect(reasonsOf(on)).toBe(`drained: the fleet's deadline, ${new Date(until).toISOString()}, has passed`);
    expect(on.reports.at(-1)?.plans).toMatchObject([{ fleet: "training", desired: 0, wake: undefined }]);
    const told = (await eventsOf(on)).filter((event) => event.startsWith("drained"));
    expect(told).toEqual([expect.stringContaining("training is drained: the fleet's deadline")]);
  });

  test("is drained although it is paused, by its file or by an operator", async () => {
    const { on, until } = await untilSoon();
    await on.clock.advance(10 * MINUTE);
    await on.declare({ training: { ...wish, paused: true, until: new Date(until).toISOString() } });
    await order(on, pauseFleet);
    await on.clock.advanceTo(until + 5 * MINUTE);
    expect(on.alive()).toEqual([]);
  });

  test("stops what a lost launch turns out to have made after it", async () => {
    const { on, until } = await untilSoon({ gpus: 8 });
    on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 21 * 60 });
    await on.clock.advanceTo(until + 10 * MINUTE);
    expect(on.alive()).toEqual([]);
    expect(on.simulator.truth().machines.length).toBeGreaterThan(0);
  });

  test("stays drained where the clock is wrong after a reboot: all would be rented again", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT], until: "2023-11-14T23:00:00Z" });
    const fleet = () => on.draft.fleets.get("web") as FleetRow;
    on.advance(60 * MINUTE);
    on.decide((draft, context) => storePhase(draft, fleet(), context));
    on.reboot(-24 * 60 * MINUTE);
    on.decide((draft, context) => storePhase(draft, fleet(), context));
    expect(fleetPhase(on.draft, fleet(), on.context)).toMatchObject({ kind: "drained", by: "deadline" });
  });

  test("comes back with a later one", async () => {
    const { on, until } = await untilSoon();
    await on.clock.advanceTo(until + 10 * MINUTE);
    await on.declare({ training: { ...wish, until: new Date(until + 60 * MINUTE).toISOString() } });
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(2);
    expect(await eventsOf(on)).toContain("resumed: training is not drained any more");
    await on.clock.advanceTo(until + 65 * MINUTE);
    expect(on.alive()).toEqual([]);
  });
});

describe("an operator", () => {
  test("pauses a fleet: what is lost is not replaced, and a smaller count stops nothing, until it is resumed", async () => {
    const on = await onStage();
    await on.declare({ training: wish });
    on.start();
    await on.clock.advance(10 * MINUTE);
    await order(on, pauseFleet);
    const [lost, kept] = on.alive().map(({ id }) => id);
    on.simulator.control.interrupt(lost ?? "", { now: true });
    await on.declare({ training: { ...wish, gpus: 1, overshoot: 0 } });
    await on.clock.advance(10 * MINUTE);
    expect(on.alive().map(({ id }) => id)).toEqual([kept]);
    expect(on.launches()).toBe(2);
    expect(reasonsOf(on)).toBe(
      "paused by an operator, until fleetkeeper resume training: what runs is kept, nothing is launched or stopped",
    );
    await on.declare({ training: wish });
    const told = async () => (await on.keeper.ledger.read(on.keeper.account)).fleets[0]?.reasons;
    expect(await told()).toHaveLength(1);
    expect(await order(on, resumeFleet)).toEqual({ kind: "kept" });
    expect(await told()).toEqual([]);
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(2);
    expect((await eventsOf(on)).filter((event) => /^(paused|resumed)/.test(event))).toEqual([
      "resumed: training was resumed by an operator",
      "paused: training was paused by an operator",
    ]);
  });

  test.each(["by an operator", "by its declaration"])(
    "pauses a stop that was never accepted, too, %s: it goes on when the fleet does",
    async (by) => {
      const on = await onStage();
      await on.declare({ training: wish });
      on.start();
      await on.clock.advance(10 * MINUTE);
      on.simulator.control.faults.chance("stop", [
        { fault: { kind: "errorBefore", status: 503 }, probability: 1 },
      ]);
      await on.declare({ training: { ...wish, gpus: 8 } });
      await on.clock.advance(MINUTE);
      if (by === "by an operator") await order(on, pauseFleet);
      else await on.declare({ training: { ...wish, paused: true } });
      await on.clock.advance(MINUTE);
      const before = on.simulator.truth();
      on.simulator.control.faults.clear();
      await on.clock.advance(60 * MINUTE);
      expect(on.alive().map(({ state }) => state)).toEqual(["running", "running"]);
      expect(requestsBetween(before, on.simulator.truth())).toEqual({ deployments: 240 });
      expect(reasonsOf(on)).toMatch(
        /\nthe stop of \S+ was asked for before, waits too, and goes on with the fleet$/,
      );
      await on.declare({ training: { ...wish, gpus: 8 } });
      if (by === "by an operator") await order(on, resumeFleet);
      await on.clock.advance(10 * MINUTE);
      expect(on.alive()).toHaveLength(1);
      expect(on.launches()).toBe(2);
    },
  );

  test("stops a machine of a paused fleet by its name, and what a spent total asks for goes on, too", async () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT], budget: { total: "100" } });
    for (const id of ["m1", "m2"]) on.machine(id, OSLO, { ...OSLO, status: "running" });
    const due = () => dueStops(on.draft, on.context).map(({ id }) => id);
    on.decide((draft, context) => {
      for (const id of ["m1", "m2"]) askStop(draft, id, "a surplus", context, "planned");
    });
    expect(due()).toEqual(["m1", "m2"]);
    on.decide((draft, context) => pauseFleet(draft, "web", context));
    expect(due()).toEqual([]);
    expect(on.decide((draft, context) => beginStop(draft, "m1", context))).toBe(false);
    on.decide((draft, context) => askStop(draft, "m1", "an operator stopped it", context));
    expect(due()).toEqual(["m1"]);
    on.advance(6 * 3_600_000);
    on.list();
    on.decide((draft, context) => {
      for (const fleet of draft.fleets.values()) storePausedStops(draft, fleet, context);
    });
    expect(due()).toEqual(["m1", "m2"]);
  });

  test("drains a fleet that stays declared, and brings it back", async () => {
    const on = await onStage();
    await on.declare({ training: wish });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(await order(on, drainFleet)).toMatchObject({ kind: "drained", by: "operator" });
    await on.declare({ training: { ...wish, overshoot: 1 } });
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toEqual([]);
    expect(reasonsOf(on)).toBe("drained: an operator drains the fleet, until fleetkeeper resume training");
    await order(on, resumeFleet);
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(2);
  });

  test("does not resume what the declaration says", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT], paused: true }, {}, { paused: true });
    expect(on.decide((draft, context) => resumeFleet(draft, "web", context))).toEqual({
      kind: "paused",
      why: "paused by its declaration",
    });
  });

  test("is told which fleets there are, and that a removed one drains anyway", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT] });
    const pause = (name: string) => () => on.decide((draft, context) => pauseFleet(draft, name, context));
    expect(pause("wbe")).toThrow("wbe: no such fleet here; there are: web.");
    on.decide((draft) => draft.putFleet({ ...fleetIn(draft), removed: true }));
    expect(pause("web")).toThrow("fleet web was removed");
  });
});

test("what drains a fleet is told in the order of who can take it back", () => {
  const until = "2023-11-14T00:00:00Z";
  const on = fleetBench({ gpus: 8, candidates: [EIGHT], paused: true, until });
  expect(stands(on)).toMatchObject({ kind: "drained", by: "deadline" });
  on.decide((draft, context) => drainFleet(draft, "web", context));
  expect(stands(on)).toMatchObject({ kind: "drained", by: "operator" });
  on.decide((draft) => draft.putFleet({ ...fleetIn(draft), removed: true }));
  expect(stands(on)).toMatchObject({ kind: "drained", by: "removal" });
});

test("a drained fleet says which machines it must not stop", () => {
  const on = fleetBench({ gpus: 8, candidates: [EIGHT] }, { tenure: "shared" });
  on.lose(on.launch(OSLO));
  on.show("m1", OSLO);
  on.advance(1);
  on.list();
  expect(on.row("m1").claim).toBe("inferred");
  on.decide((draft, context) => drainFleet(draft, "web", context));
  expect(planOn(on)).toMatchObject({
    desired: 0,
    stops: [],
    reasons: [
      "drained: an operator drains the fleet, until fleetkeeper resume web",
      "m1 may be somebody else's and is not stopped: fleetkeeper adopt or disown",
    ],
  });
});

test("a drained fleet that was not born takes no machine, since it would only stop it", async () => {
  const on = await onStage();
  on.simulator.control.launchByHand(H100);
  await on.declare({ training: { ...wish, until: "2020-01-01T00:00:00Z" } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(1);
  expect(toBeJudged(await draftOf(on), on.keeper.clock.now())).toHaveLength(1);
});

test.each(["pause", "drain", "remove"])(
  "a launch that was admitted is not sent after a %s",
  async (order) => {
    const on = await onStage();
    await on.declare({ training: wish });
    const { keeper } = on;
    const signal = new AbortController().signal;
    await on.clock.run(takeList(keeper, signal));
    await keeper.ledger.decide(keeper.account, (draft) => {
      draft.putFleet({ ...fleetIn(draft), born: true });
    });
    const change = (draft: Draft): void => {
      if (order === "pause") pauseFleet(draft, "training", contextOf(keeper));
      if (order === "drain") drainFleet(draft, "training", contextOf(keeper));
      if (order === "remove") draft.putFleet({ ...fleetIn(draft), removed: true });
    };
    const ledger = afterFirst(keeper.ledger, () => keeper.ledger.decide(keeper.account, change));
    const option = { ...candidate(H100), pricePerHour: parseUsd("16") };
    const result = await on.clock.run(
      launch({ ...keeper, ledger }, launchWish("training", wishSchema.parse(wish), option)),
    );
    expect(result).toMatchObject({
      kind: "notSent",
      reason: expect.stringMatching(/given up before sending/),
    });
    expect(on.launches()).toBe(0);
  },
);

/** A ledger whose first decision is followed by something else at once. */
function afterFirst(ledger: Ledger, then: () => Promise<void>): Ledger {
  let first = true;
  return Object.assign(Object.create(ledger) as Ledger, {
    decide: async (...args: Parameters<Ledger["decide"]>) => {
      const result = await ledger.decide(...args);
      if (first) {
        first = false;
        await then();
      }
      return result;
    },
  });
}

function order<T>(
  { keeper }: Stage,
  given: (draft: Draft, name: string, context: ReturnType<typeof contextOf>) => T,
): Promise<T> {
  return keeper.ledger.decide(keeper.account, (draft) => given(draft, "training", contextOf(keeper)));
}

function fleetIn(draft: Draft) {
  const [fleet] = draft.fleets.values();
  if (!fleet) throw new Error("no fleet");
  return fleet;
}

function stands(on: LaunchBench) {
  return fleetPhase(on.draft, fleetIn(on.draft), on.context);
}
