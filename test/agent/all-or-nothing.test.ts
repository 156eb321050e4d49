import { describe, expect, test } from "vitest";
import { pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { wishInForce } from "../../agent/planning/count/wish-in-force.ts";
import {
  pauseLeft,
  storeAttempt,
  timeLeft,
  whyGivenBack,
} from "../../agent/planning/holds/all-or-nothing.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { EIGHT, fleetBench, OSLO, planOn } from "./on-bench.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf, SECOND } from "./on-stage.ts";

const WISH = { gpus: 16, candidates: [candidate(H100)], allOrNothing: { within: "20m" } };
const HOUR = 60 * MINUTE;

async function begun(wish: object = {}): Promise<Stage> {
  const on = await onStage();
  await on.declare({ training: { ...WISH, ...wish } });
  on.start();
  return on;
}

async function attemptOf(on: Stage) {
  return (await draftOf(on)).fleets.get("training")?.attempt;
}

/** The first launch is carried out, the others are not. */
async function half(): Promise<Stage> {
  const on = await onStage();
  on.simulator.control.setCapacity(H100, 1);
  await on.declare({ training: WISH });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(1);
  return on;
}

test("nothing is launched while not all of it can be had, though a part could", async () => {
  const on = await onStage();
  on.simulator.control.cooldown(H100, 100);
  const both = [candidate(H100), { ...candidate(H100_SOUTH), gpus: 8 }];
  await on.declare({ probe: { gpus: 8, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(20 * SECOND);
  await on.declare({
    probe: { gpus: 8, candidates: [candidate(H100)] },
    training: { ...WISH, candidates: both, placement: { mostPerLocation: 8 } },
  });
  await on.clock.advance(40 * SECOND);
  expect(on.launches()).toBe(1);
  expect(reasonsOf(on)).toContain("nothing is launched before all of it can be had at once (allOrNothing)");
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(3);
});

describe("what did not become whole in time", () => {
  test("is given back, told, and tried again after a pause that grows", async () => {
    const on = await half();
    await on.clock.advance(9 * MINUTE);
    expect(on.alive()).toHaveLength(1);
    await on.clock.advance(3 * MINUTE);
    expect(on.alive()).toHaveLength(0);
    expect(await attemptOf(on)).toMatchObject({ state: "givenBack", failures: 1 });
    expect(reasonsOf(on)).toMatch(
      /^not all of 16 GPUs ran within 20m, so what was launched is given back; the next attempt begins at \S+:\d\dZ$/,
    );
    const said = reasonsOf(on);
    await on.clock.advance(5 * MINUTE);
    expect(reasonsOf(on)).toBe(said);
    const begins = Date.parse(said.split(" ").at(-1) ?? "");
    const { ledger, account } = on.keeper;
    const told = (await ledger.events(account, 100)).find(({ kind }) => kind === "gaveBack");
    expect(told?.text).toBe("training: 8 of 16 GPUs ran within 20m; what was launched is given back");
    const launches = on.launches();
    await on.clock.advance(5 * MINUTE);
    expect(on.launches()).toBe(launches);
    await on.clock.advance(8 * MINUTE);
    expect(on.launches()).toBeGreaterThan(launches);
    const { at = 0 } = on.simulator.truth().launches[launches] ?? {};
    expect(Math.abs(at - begins)).toBeLessThan(30 * SECOND);
    await on.clock.advance(25 * MINUTE);
    expect(await attemptOf(on)).toMatchObject({ state: "givenBack", failures: 2 });
    const again = on.launches();
    await on.clock.advance(20 * MINUTE);
    expect(on.launches()).toBe(again);
    on.simulator.control.setCapacity(H100, 2);
    await on.clock.advance(20 * MINUTE);
    expect(on.alive()).toHaveLength(2);
    expect(await attemptOf(on)).toMatchObject({ state: "whole", failures: 0 });
  });

  test("is tried at once when somebody changes the fleet", async () => {
    const on = await half();
    await on.clock.advance(12 * MINUTE);
    expect(on.alive()).toHaveLength(0);
    await on.declare({ training: { ...WISH, gpus: 8 } });
    await on.clock.advance(2 * MINUTE);
    expect(on.alive()).toHaveLength(1);
  });

  test("counts its time from the first launch, also if an agent that was away only now looks", () => {
    const on = fleetBench({ gpus: 16, candidates: [EIGHT], allOrNothing: { within: "20m" } });
    const fleet = () => on.draft.fleets.get("web") as FleetRow;
    on.decide((draft, context) => storeAttempt(draft, fleet(), context));
    on.machine("m1", OSLO, { ...OSLO, status: "running" });
    on.advance(5 * MINUTE);
    on.decide((draft, context) => storeAttempt(draft, fleet(), context));
    expect(planOn(on).reasons.at(-1)).toBe(
      "what was launched is given back at 2023-11-14T22:33:20Z unless all 16 GPUs run by then (allOrNothing)",
    );
    expect(
      Math.ceil((timeLeft(fleet(), wishInForce(on.draft, fleet(), on.context), on.context) ?? 0) / MINUTE),
    ).toBe(15);
    on.advance(16 * MINUTE);
    on.decide((draft, context) => storeAttempt(draft, fleet(), context));
    expect(planOn(on).stops).toMatchObject([{ id: "m1" }]);
    expect(whyGivenBack(on.draft, fleet(), on.context)).toMatchObject({ kind: "givenBack" });
  });

  test("is given back, and its pause waited for, also where a reboot set the clock back", () => {
    const on = fleetBench({ gpus: 16, candidates: [EIGHT], allOrNothing: { within: "20m" } });
    const fleet = () => on.draft.fleets.get("web") as FleetRow;
    const record = () => on.decide((draft, context) => storeAttempt(draft, fleet(), context));
    record();
    on.machine("m1", OSLO, { ...OSLO, status: "running" });
    record();
    on.advance(5 * MINUTE);
    on.reboot(-365 * 24 * HOUR);
    on.list();
    expect(timeLeft(fleet(), wishInForce(on.draft, fleet(), on.context), on.context)).toBe(20 * MINUTE);
    on.advance(20 * MINUTE);
    on.list();
    record();
    expect(planOn(on).stops).toMatchObject([{ id: "m1" }]);
    expect(pauseLeft(fleet(), on.context)).toBe(15 * MINUTE);
  });

  test("is given all of its time once more after a pause, and nobody asks all the time meanwhile", async () => {
    const on = await half();
    const { ledger, account } = on.keeper;
    await ledger.decide(account, (draft) => pauseFleet(draft, "training", contextOf(on.keeper)));
    const ticks = on.reports.length;
    await on.clock.advance(60 * MINUTE);
    expect(on.reports.length - ticks).toBeLessThanOrEqual((60 * MINUTE) / on.keeper.settings.poll + 1);
    await ledger.decide(account, (draft) => resumeFleet(draft, "training", contextOf(on.keeper)));
    await on.clock.advance(19 * MINUTE);
    expect(on.alive()).toHaveLength(1);
    await on.clock.advance(5 * MINUTE);
    expect(on.alive()).toHaveLength(0);
  });

  test("is not what the fleet had before it became all-or-nothing", async () => {
    const on = await onStage();
    on.simulator.control.setCapacity(H100, 1);
    await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
    on.start();
    await on.clock.advance(HOUR);
    await on.declare({ training: WISH });
    await on.clock.advance(HOUR);
    expect(on.alive()).toHaveLength(1);
    on.simulator.control.setCapacity(H100, 2);
    await on.clock.advance(20 * MINUTE);
    expect(on.alive()).toHaveLength(2);
  });

  test("leaves alone what was adopted, and what may be somebody else's", () => {
    const on = fleetBench({ gpus: 16, candidates: [EIGHT], allOrNothing: { within: "20m" } });
    on.machine("m1", OSLO, { ...OSLO, status: "running" });
    on.show("m2", { ...OSLO, status: "running" });
    on.list();
    on.decide((draft, { now }) => {
      const row = draft.deployments.ever("m2");
      if (row)
        deploymentAsFound(draft, { ...row, claim: "certain", owner: "fleet:web", claimed: now, gpus: 1 });
      const fleet = draft.fleets.get("web");
      if (fleet) draft.putFleet({ ...fleet, attempt: { state: "givenBack", since: now, failures: 1 } });
    });
    expect(planOn(on).stops.map(({ id }) => id)).toEqual(["m1"]);
    on.decide((draft) => deploymentAsFound(draft, { ...on.row("m1"), claim: "inferred" }));
    expect(planOn(on)).toMatchObject({
      stops: [],
      reasons: [
        expect.anything(),
        "m1 may be somebody else's and is not stopped: fleetkeeper adopt or disown",
      ],
    });
  });
});

describe("a fleet that was whole once", () => {
  test("replaces its losses like any other, however long that takes", async () => {
    const on = await begun();
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(2);
    on.simulator.control.setCapacity(H100, 1);
    const [first] = on.alive();
    if (first) on.simulator.control.interrupt(first.id, { now: true });
    await on.clock.advance(HOUR);
    expect(on.alive()).toHaveLength(1);
    on.simulator.control.setCapacity(H100, 2);
    await on.clock.advance(20 * MINUTE);
    expect(on.alive()).toHaveLength(2);
  });

  test("begins anew when nothing of it is left", async () => {
    const on = await begun();
    await on.clock.advance(10 * MINUTE);
    on.simulator.control.setCapacity(H100, 1);
    on.simulator.control.loseMachinesIn({ provider: "north" }, { now: true });
    await on.clock.advance(5 * MINUTE);
    expect(on.alive()).toHaveLength(1);
    await on.clock.advance(30 * MINUTE);
    expect(on.alive()).toHaveLength(0);
    expect(await attemptOf(on)).toMatchObject({ state: "givenBack" });
  });
});

describe("two of them that share a balance", () => {
  const each = (offer: CatalogueOffer) => ({
    gpus: 64,
    candidates: [{ ...candidate(offer), pricePerHour: offer.pricePerHour }],
    allOrNothing: { within: "20m" },
    budget: { floor: "10" },
  });

  test("do not spend the same money: the one that begins becomes whole, and the other waits", async () => {
    const on = await onStage({ balance: "200.0000" });
    await on.declare({ alpha: each(H100), beta: each(H100_SOUTH) });
    on.start();
    await on.clock.advance(40 * MINUTE);
    expect(on.launches()).toBe(8);
    expect(on.alive().map(({ place, state }) => `${place} ${state}`)).toEqual(
      Array.from({ length: 8 }, () => "north/oslo running"),
    );
    expect(on.reports.flatMap(({ plans }) => plans.flatMap(({ reasons }) => reasons))).toContain(
      "alpha is on its way, whole or not at all as this fleet, and the balance above the floor, or a limit of budgets, may not pay for both",
    );
    expect(reasonsOf(on, "beta")).toContain("pays for 24 of the 64 missing GPUs");
  });

  test("begin side by side where it pays for both, or while the first is paused", async () => {
    const rich = await onStage({ balance: "400.0000" });
    await rich.declare({ alpha: each(H100), beta: each(H100_SOUTH) });
    rich.start();
    await rich.clock.advance(10 * MINUTE);
    expect(rich.alive()).toHaveLength(16);
    const on = await onStage({ balance: "200.0000" });
    await on.declare({ alpha: { ...each(H100), paused: true }, beta: each(H100_SOUTH) });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(8);
  });
});
