import { expect, test } from "vitest";
import { isOver, removeFleet } from "../../agent/fleet/declare/fleets.ts";
import { storeDoubtedGpus } from "../../agent/planning/count/doubted-gpus.ts";
import { FLEET_RULES } from "../../agent/planning/holds/fleet-holds.ts";
import { planHolds } from "../../launch/admit/holds.ts";
import { holdText } from "../../launch/facts/hold.ts";
import type { LaunchBench } from "../launch/bench.ts";
import { FLEET } from "../launch/bench.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import { EIGHT, fleetBench, OSLO, planOn, wishFor } from "./on-bench.ts";

const wish = { gpus: 16, candidates: [EIGHT] };

function room(on: LaunchBench, gpus: number): string | undefined {
  const launch = { ...on.wish({ gpus }), asked: undefined, id: "i1" };
  const holds = FLEET_RULES.flatMap(({ ask }) => ask(on.draft, launch, on.context) ?? []);
  const [first] = holds.filter(({ kind }) => kind !== "changed");
  return first && holdText(first);
}

test.each([0, 1, 7, 16, 10_000])(
  "a machine that shows %i GPUs counts the 8 that its launch expected",
  (gpus) => {
    const on = fleetBench(wish);
    on.machine("m1", OSLO, { ...OSLO, gpus });
    expect(planOn(on)).toMatchObject({ running: 8, launches: [{ option: OSLO }] });
    expect(room(on, 9)).toBeDefined();
  },
);

test("a machine that shows fewer GPUs while it runs says so, until a person says how many it has", () => {
  const on = fleetBench({ gpus: 16, candidates: [{ ...EIGHT, gpus: 16 }] });
  on.machine("m1", { ...OSLO, gpus: 16 }, { ...OSLO, gpus: 0, status: "provisioning" });
  const record = (): void =>
    on.decide((draft, context) => {
      for (const fleet of draft.fleets.values()) storeDoubtedGpus(draft, fleet, context);
    });
  record();
  expect(planOn(on).reasons).toEqual(["m1 is provisioning"]);
  on.show("m1", { gpus: 8, status: "running" });
  on.list();
  record();
  record();
  const text =
    "m1 shows 8 GPUs, and counts as the 16 that were expected: " +
    "fleetkeeper adopt m1 --fleet web --gpus COUNT says how many it has. Then correct the candidate's gpus " +
    "(offers.fields.gpus for a selection), or deployments.fields.gpus in the profile";
  expect(planOn(on)).toMatchObject({ running: 16, launches: [], reasons: [text] });
  expect(on.told("otherGpus")).toEqual([text]);
  wishFor(on, { gpus: 24, candidates: [EIGHT] });
  expect(planOn(on)).toMatchObject({ running: 16, launches: [{}], reasons: [text] });
  on.decide((draft) => draft.putDeployment({ ...on.row("m1"), saidGpus: 8 }));
  record();
  on.list();
  expect(planOn(on)).toMatchObject({ running: 8, launches: [{}, {}], reasons: [] });
  expect([room(on, 16), room(on, 17)]).toEqual([undefined, expect.any(String)]);
  expect(on.told("otherGpus")).toHaveLength(1);
});

test("a machine that shows more GPUs than were expected stops no other, and says so", () => {
  const on = fleetBench(wish);
  for (const id of ["m1", "m2"]) on.machine(id, OSLO, { ...OSLO, gpus: 8 });
  on.show("m1", { gpus: 10_000 });
  on.list();
  expect(planOn(on)).toMatchObject({
    running: 16,
    stops: [],
    reasons: [expect.stringMatching(/^m1 shows 10000 GPUs, and counts as the 8 that were expected/)],
  });
});

test("a number of GPUs that an older version has stored ends nothing, however large it is", () => {
  const on = fleetBench({ gpus: 8, candidates: [EIGHT] });
  on.machine("m1", OSLO);
  const absurd = { saidGpus: 5_000_000_000, gpus: 5_000_000_000 };
  on.decide((draft) => draft.putDeployment({ ...on.row("m1"), ...absurd }));
  expect(planOn(on)).toMatchObject({ running: 10_000, launches: [] });
});

test("a machine whose GPUs nobody knows holds the fleet", () => {
  const on = fleetBench(wish);
  on.show("m1");
  on.list();
  on.decide((draft) => deploymentAsFound(draft, { ...on.row("m1"), claim: "certain", owner: FLEET }));
  expect(planOn(on)).toMatchObject({
    launches: [],
    reasons: [expect.stringContaining("nobody knows how many GPUs m1 has")],
  });
  expect(room(on, 1)).toContain("nobody knows how many GPUs");
});

test("a disputed launch counts as one machine, and its machine counts after it was adopted", () => {
  const on = fleetBench(wish, { tenure: "shared", combination: false });
  on.lose(on.launch(OSLO));
  for (const id of ["m1", "m2"]) on.show(id);
  on.advance(1);
  on.list();
  expect(on.row("m1").claim).toBe("disputed");
  expect(planOn(on)).toMatchObject({ starting: 8, running: 0 });
  on.decide((draft) => deploymentAsFound(draft, { ...on.row("m1"), claim: "certain" }));
  on.decide((draft) => {
    for (const intent of draft.intents.values()) intentAsFound(draft, { ...intent, state: "claimed" });
  });
  expect(planOn(on)).toMatchObject({ starting: 0, running: 8 });
});

test("a removed fleet is over when all in its dispute have ended, and not before", () => {
  const on = fleetBench(wish, { tenure: "shared", combination: false });
  on.lose(on.launch(OSLO));
  for (const id of ["m1", "m2"]) on.show(id);
  on.advance(1);
  on.list();
  on.decide((draft) => removeFleet(draft, "web", "file:a"));
  const over = (): boolean => [...on.draft.fleets.values()].every((fleet) => isOver(on.draft, fleet));
  on.show("m1", { status: "interrupted" });
  on.list();
  expect(over()).toBe(false);
  on.show("m2", { status: "interrupted" });
  on.list();
  expect(over()).toBe(true);
});

test("room is what is asked for and the overshoot, less all that lives, starts, may live or stops", () => {
  const on = fleetBench({ ...wish, overshoot: 4 });
  expect([room(on, 20), room(on, 21)]).toEqual([undefined, expect.any(String)]);
  on.machine("m1", OSLO, { ...OSLO, status: "running" });
  on.machine("m2", OSLO, { ...OSLO, status: "stopping" });
  expect([room(on, 4), room(on, 5)]).toEqual([
    undefined,
    "8 GPUs are there or on their way, 8 are still stopping, and 20 are the most",
  ]);
  wishFor(on, { ...wish, overshoot: 4, surge: 7 });
  expect([room(on, 11), room(on, 12)]).toEqual([
    undefined,
    "8 GPUs are there or on their way, 8 are still stopping, and 27 are the most",
  ]);
  wishFor(on, { ...wish, overshoot: 4, surge: 99 });
  expect([room(on, 12), room(on, 13)]).toEqual([
    undefined,
    "8 GPUs are there or on their way, and 20 are the most",
  ]);
  wishFor(on, { ...wish, overshoot: 4 });
  on.lose(on.launch({ ...OSLO, gpus: 4 }));
  expect(room(on, 1)).toBeDefined();
});

test("there is no room in a fleet that is removed, paused or not born, nor in none", () => {
  for (const row of [{ removed: true }, { paused: true }, { born: false }])
    expect(room(fleetBench(wish, {}, row), 1)).toBeDefined();
  const on = fleetBench(wish);
  const of = { owner: "fleet:other", limits: {}, rules: FLEET_RULES } as const;
  expect(planHolds(on.draft, of, on.context)).toContainEqual(expect.objectContaining({ kind: "closed" }));
});
