import { describe, expect, test } from "vitest";
import type { PlanningInputs } from "../../agent/planning/told/fleet-plan.ts";
import type { Combination } from "../../service/contract/contract.ts";
import type { LaunchBench } from "../launch/bench.ts";
import { FLEET } from "../launch/bench.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import {
  EIGHT,
  EIGHT_IN_ROME,
  fleetBench,
  launchesOf,
  NO_OFFERS,
  OSLO,
  planOn,
  ROME,
  SINGLE,
  wishFor,
} from "./on-bench.ts";

const { can } = NO_OFFERS;

/** Runs, and is the fleet's. */
function machine(on: LaunchBench, id: string, gpus = 8, more = {}): void {
  on.machine(id, { ...OSLO, gpus }, { ...OSLO, gpus, status: "running", ...more });
}

describe("launches", () => {
  test("say how much is missing, and why this combination", () => {
    const on = fleetBench({ gpus: 16, candidates: [EIGHT, EIGHT_IN_ROME] });
    const { launches, reasons } = planOn(on);
    expect(launches.map(({ why }) => why)).toEqual(
      Array(2).fill(
        "16 of 16 GPUs are missing; h100-8 @ north/oslo is in the cheapest mix of the candidates that can be had (16.00 USD an hour a machine)",
      ),
    );
    expect(reasons).toEqual([]);
  });

  test("take the candidates' order where prices are not known", () => {
    const { pricePerHour: _oslo, ...oslo } = EIGHT;
    const { pricePerHour: _rome, ...rome } = EIGHT_IN_ROME;
    const planned = planOn(fleetBench({ gpus: 8, candidates: [rome, oslo] }));
    expect(planned.launches).toMatchObject([
      { option: ROME, why: expect.stringContaining("is the first candidate that can be had") },
    ]);
  });

  test("go to a place that just lost machines only where others cost too much more, and say so", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT] });
    machine(on, "m1");
    on.show("m1", { status: "interrupted" });
    on.advance(1);
    on.list();
    expect(planOn(on).launches[0]?.why).toContain(
      "north/oslo just lost machines, but no others of the candidates can be had for up to 10% more",
    );
    wishFor(on, { gpus: 8, candidates: [EIGHT, EIGHT_IN_ROME] });
    expect(launchesOf(planOn(on))).toEqual(["h100-8 north"]);
    wishFor(on, { gpus: 8, candidates: [EIGHT, EIGHT_IN_ROME], avoid: "13%" });
    expect(launchesOf(planOn(on))).toEqual(["h100-8 south"]);
  });

  test("are what can be had now, where the rest of the mix cools", () => {
    const on = fleetBench({ gpus: 17, candidates: [EIGHT, SINGLE] });
    cool(on, SINGLE, 90);
    const planned = planOn(on);
    expect(launchesOf(planned)).toEqual(["h100-8 north", "h100-8 north"]);
    expect(planned.reasons).toEqual(["h100-1 @ north/oslo cools for 90 s more"]);
    expect(planned.wake).toBe(90_000);
  });
});

describe("a fleet that waits says for what", () => {
  test("for the first combination that clears, and wakes exactly then", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT, EIGHT_IN_ROME] });
    cool(on, EIGHT, 90);
    cool(on, EIGHT_IN_ROME, 41);
    on.advance(500);
    const { reasons, wake, launches } = planOn(on);
    expect(launches).toEqual([]);
    expect(reasons).toEqual([
      "h100-8 @ north/oslo cools for 90 s more",
      "h100-8 @ south/rome cools for 41 s more",
    ]);
    expect(wake).toBe(40_500);
  });

  test("for machines that start, and for a launch without an answer", () => {
    const on = fleetBench({ gpus: 24, candidates: [EIGHT] });
    on.machine("m1", OSLO, { ...OSLO, status: "provisioning" });
    on.machine("m2", OSLO, { ...OSLO, status: "running" });
    on.lose(on.launch(OSLO));
    expect(planOn(on)).toMatchObject({
      running: 8,
      starting: 16,
      launches: [],
      reasons: ["m1 is provisioning; a launch of h100-8 @ north/oslo is not resolved yet (connection reset)"],
    });
  });

  test("for what still stops, since it is paid for", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT] });
    machine(on, "m1", 8, { status: "stopping" });
    expect(planOn(on)).toMatchObject({
      stopping: 8,
      launches: [],
      reasons: ["8 GPUs are still stopping, and paid for until that has ended"],
    });
  });

  test("for a person, where no mix makes the number", () => {
    expect(planOn(fleetBench({ gpus: 9, candidates: [EIGHT] }))).toMatchObject({
      launches: [],
      reasons: [
        "no mix of machines with 8 GPUs makes 9 GPUs exactly: allow some overshoot, or ask for another number",
      ],
    });
    const slack = fleetBench({ gpus: 9, overshoot: 6, candidates: [EIGHT] });
    expect(planOn(slack).reasons).toEqual([
      "no mix of machines with 8 GPUs makes 9 GPUs exactly, nor up to 6 more: allow some more overshoot, or ask for another number",
    ]);
    expect(launchesOf(planOn(fleetBench({ gpus: 9, overshoot: 7, candidates: [EIGHT] })))).toHaveLength(2);
  });

  test("for nothing, where what it has is within the overshoot", () => {
    const on = fleetBench({
      gpus: 12,
      overshoot: 4,
      candidates: [EIGHT],
    });
    for (const id of ["m1", "m2"]) machine(on, id);
    expect(planOn(on)).toMatchObject({ running: 16, stops: [], reasons: [] });
  });

  test("for a person, where it has more than it wants and nothing can go", () => {
    const on = fleetBench({ gpus: 4, candidates: [EIGHT] });
    machine(on, "m1");
    expect(planOn(on)).toMatchObject({
      stops: [],
      reasons: [
        "8 GPUs are there and 4 GPUs are asked for: to stop any of these machines would leave too few",
        "what runs is kept, and could not be replaced: no mix of machines with 8 GPUs makes 4 GPUs exactly: allow some overshoot, or ask for another number",
      ],
    });
  });

  test("for somebody to pause no more", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT] }, {}, { paused: true });
    expect(planOn(on)).toMatchObject({
      launches: [],
      stops: [],
      reasons: [expect.stringContaining("paused")],
    });
  });
});

describe("what the profile cannot do", () => {
  const without = (part: keyof PlanningInputs["can"]): Partial<PlanningInputs> => ({
    can: { ...can, [part]: false },
  });

  test("is no launch that is tried again and again", () => {
    const planned = planOn(fleetBench({ gpus: 8, candidates: [EIGHT] }), without("launch"));
    expect(planned.launches).toEqual([]);
    expect(planned.reasons).toEqual([expect.stringContaining('the profile has no part "launch"')]);
  });

  test("is no selector without offers", () => {
    const planned = planOn(fleetBench({ gpus: 8, select: {} }), without("offers"));
    expect(planned.reasons).toEqual([expect.stringContaining('the profile has no part "offers"')]);
  });

  test("is no stop: it names the machines to stop in the dashboard, and they still count", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT] });
    machine(on, "m1");
    machine(on, "m2");
    expect(planOn(on, without("stop"))).toMatchObject({
      running: 16,
      stops: [],
      reasons: [`stop m2 in the service's dashboard (8 GPUs are asked for): the profile has no part "stop"`],
    });
  });

  test("names a few of many machines: the rest stands in a table", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT] }, {}, { removed: true });
    for (let each = 10; each < 50; each++) machine(on, `m${each}`);
    expect(planOn(on, without("stop")).reasons).toEqual([
      expect.stringContaining("stop m10, m11, m12, m13, m14 and 35 more in the service's dashboard"),
    ]);
  });

  test("holds a removed fleet no other way", () => {
    const on = fleetBench({ gpus: 8, candidates: [EIGHT] }, {}, { removed: true });
    machine(on, "m1");
    expect(planOn(on, without("stop"))).toMatchObject({
      stops: [],
      reasons: [`stop m1 in the service's dashboard (the fleet was removed): the profile has no part "stop"`],
    });
    expect(planOn(on).stops).toEqual([{ id: "m1", why: "the fleet was removed" }]);
  });
});

test("a removed fleet says which machines it must not stop", () => {
  const on = fleetBench({ gpus: 8, candidates: [EIGHT] }, { tenure: "shared" }, { removed: true });
  on.lose(on.launch(OSLO));
  on.show("m1", { ...OSLO, status: "running" });
  on.advance(1);
  on.list();
  expect(on.row("m1")).toMatchObject({ claim: "inferred", owner: FLEET });
  expect(planOn(on)).toMatchObject({
    stops: [],
    reasons: ["m1 may be somebody else's and is not stopped: fleetkeeper adopt or disown"],
  });
});

function cool(on: LaunchBench, { offer, provider, location }: Combination, seconds: number): void {
  on.decide((draft, { now }) => draft.putCooldown({ offer, provider, location, since: now, seconds }));
}

test("a total says which machines it does not count, because nobody knows their price", () => {
  const on = fleetBench({ gpus: 8, candidates: [EIGHT], budget: { total: "100" } });
  machine(on, "m1");
  expect(planOn(on).reasons).toEqual([]);
  on.decide((draft) => deploymentAsFound(draft, { ...on.row("m1"), intent: null, pricePerHour: null }));
  expect(planOn(on).reasons).toEqual([
    "nobody knows the price of m1: what that costs does not count towards the total of 100.00 USD",
  ]);
});
