import { describe, expect, test } from "vitest";
import { whyMisplaced } from "../../agent/planning/choices/placement.ts";
import type { Option } from "../../agent/planning/mix/mix.ts";
import { holdText } from "../../launch/facts/hold.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import type { Combination } from "../../service/contract/contract.ts";
import type { Offer } from "../../service/contract/service.ts";
import type { LaunchBench } from "../launch/bench.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import {
  EIGHT,
  EIGHT_IN_ROME,
  fleetBench,
  launchesOf,
  OSLO,
  planOn,
  ROME,
  SINGLE,
  wishFor,
} from "./on-bench.ts";

const SAME = { placement: "same" } as const;
const HOUR = 3_600_000;

function runs(on: LaunchBench, id: string, where: Combination, gpus = 8): void {
  on.machine(id, { ...where, gpus }, { ...where, gpus, status: "running" });
}

function cool(on: LaunchBench, { offer, provider, location }: Combination, seconds: number): void {
  on.decide((draft, { now }) => draft.putCooldown({ offer, provider, location, since: now, seconds }));
}

function interrupt(on: LaunchBench, id: string): void {
  on.show(id, { status: "interrupted" });
  on.advance(1);
  on.list();
}

describe("placement: same", () => {
  const wish = { gpus: 16, candidates: [EIGHT, EIGHT_IN_ROME], ...SAME };

  test("takes the cheapest location for all of it", () => {
    expect(launchesOf(planOn(fleetBench(wish)))).toEqual(["h100-8 north", "h100-8 north"]);
  });

  test("takes the location that has enough, though another is cheaper for some of it", () => {
    const single = { ...ROME, offer: "h100-1", gpus: 1, pricePerHour: "2.5000" };
    const on = fleetBench({ gpus: 9, candidates: [EIGHT, EIGHT_IN_ROME, single], ...SAME });
    expect(launchesOf(planOn(on))).toEqual(["h100-8 south", "h100-1 south"]);
    const anywhere = fleetBench({ gpus: 9, candidates: [EIGHT, EIGHT_IN_ROME, single] });
    expect(launchesOf(planOn(anywhere))).toEqual(["h100-8 north", "h100-1 south"]);
  });

  test("goes on where the fleet runs already, though it be dearer or just have lost machines", () => {
    const on = fleetBench(wish);
    runs(on, "m1", ROME);
    expect(launchesOf(planOn(on))).toEqual(["h100-8 south"]);
    runs(on, "m2", ROME);
    interrupt(on, "m2");
    expect(launchesOf(planOn(on))).toEqual(["h100-8 south"]);
  });

  test("waits where the fleet runs, and says so", () => {
    const on = fleetBench(wish);
    runs(on, "m1", ROME);
    cool(on, ROME, 60);
    expect(planOn(on)).toMatchObject({
      launches: [],
      wake: 60_000,
      reasons: [
        "h100-8 @ south/rome cools for 60 s more",
        "the fleet is in south/rome, and stays in one location (placement: same)",
      ],
    });
  });

  test("goes elsewhere when nothing of it is left there", () => {
    const on = fleetBench(wish);
    runs(on, "m1", ROME);
    cool(on, ROME, 60);
    interrupt(on, "m1");
    expect(launchesOf(planOn(on))).toEqual(["h100-8 north", "h100-8 north"]);
  });

  test("stops first what is elsewhere, when less is wanted", () => {
    const on = fleetBench({ ...wish, gpus: 16 });
    runs(on, "m1", OSLO);
    for (const id of ["m2", "m3"]) runs(on, id, ROME);
    expect(planOn(on).stops.map(({ id }) => id)).toEqual(["m1"]);
    wishFor(on, { gpus: 16, candidates: [EIGHT, EIGHT_IN_ROME] });
    expect(planOn(on).stops.map(({ id }) => id)).toEqual(["m3"]);
  });

  test("counts a launch without an answer as being there", () => {
    const on = fleetBench(wish);
    on.launch(ROME);
    expect(launchesOf(planOn(on))).toEqual(["h100-8 south"]);
  });

  test("stays where most of it is, if it was spread before", () => {
    const on = fleetBench({ ...wish, gpus: 32 });
    for (const id of ["m1", "m2"]) runs(on, id, ROME);
    runs(on, "m3", OSLO);
    expect(launchesOf(planOn(on))).toEqual(["h100-8 south"]);
  });

  test("says that no location can hold all of it", () => {
    const on = fleetBench({ gpus: 9, candidates: [EIGHT_IN_ROME, SINGLE], ...SAME, overshoot: 0 });
    // Nine singles in Oslo would do, if the service had as many.
    const offers: readonly Offer[] = [{ ...SINGLE, stock: 4 }];
    expect(planOn(on, { offers }).reasons).toEqual([
      "only 4 of the 9 missing GPUs can be had now: the rest of what fits is sold out",
    ]);
    const never = fleetBench({
      gpus: 9,
      candidates: [EIGHT, { ...SINGLE, ...ROME, offer: "h100-1" }],
      ...SAME,
    });
    expect(launchesOf(planOn(never))).toHaveLength(9);
    const four = { ...SINGLE, offer: "h100-4", gpus: 4 };
    const odd = fleetBench({
      gpus: 12,
      candidates: [EIGHT_IN_ROME, { ...four, gpus: 5 }, { ...four, gpus: 7, ...ROME }],
      ...SAME,
    });
    expect(planOn(odd).reasons).toEqual([
      "all GPUs are to be in one location, and no location has machines that make 12 (placement: same)",
    ]);
  });

  test("waits for a person where nobody knows where its machine is", () => {
    const on = fleetBench(wish);
    on.show("m1", { status: "running" });
    on.list();
    on.decide((draft, { now }) => {
      const row = draft.deployments.ever("m1");
      if (row)
        deploymentAsFound(draft, { ...row, claim: "certain", owner: "fleet:web", claimed: now, gpus: 8 });
    });
    expect(planOn(on)).toMatchObject({
      launches: [],
      reasons: ["nobody knows where m1 is, and all machines of the fleet are to be in one location"],
    });
  });
});

describe("placement: mostPerLocation", () => {
  const spread = { placement: { mostPerLocation: 16 } };

  test("takes the cheapest up to that, and then the next location", () => {
    const on = fleetBench({ gpus: 24, candidates: [EIGHT, EIGHT_IN_ROME], ...spread });
    expect(launchesOf(planOn(on))).toEqual(["h100-8 north", "h100-8 north", "h100-8 south"]);
  });

  test("counts what is there, and what may be", () => {
    const on = fleetBench({ gpus: 32, candidates: [EIGHT, EIGHT_IN_ROME], ...spread });
    runs(on, "m1", OSLO);
    on.launch(OSLO);
    expect(launchesOf(planOn(on))).toEqual(["h100-8 south", "h100-8 south"]);
  });

  test("says where it ends", () => {
    const on = fleetBench({ gpus: 40, candidates: [EIGHT, EIGHT_IN_ROME], ...spread });
    const { launches, reasons } = planOn(on);
    expect(launches).toHaveLength(4);
    expect(reasons).toEqual([
      "at most 16 GPUs may be in one location (placement.mostPerLocation), and the locations that fit do not hold 40 more",
    ]);
  });
});

test("a launch that another process has overtaken is not written: it would stand elsewhere", () => {
  const option = (where: Combination): Option => ({ ...where, gpus: 8, pricePerHour: undefined });
  const why = (on: LaunchBench, where: Combination) => {
    const held = whyMisplaced(on.draft, on.draft.fleets.get("web") as FleetRow, option(where), on.context);
    return held && holdText(held);
  };
  const together = fleetBench({ gpus: 16, candidates: [EIGHT, EIGHT_IN_ROME], ...SAME });
  expect([why(together, OSLO), why(together, ROME)]).toEqual([undefined, undefined]);
  together.launch(OSLO);
  expect([why(together, OSLO), why(together, ROME)]).toEqual([
    undefined,
    expect.stringContaining("north/oslo"),
  ]);
  const apart = fleetBench({ gpus: 16, candidates: [EIGHT], placement: { mostPerLocation: 12 } });
  expect(why(apart, OSLO)).toBeUndefined();
  apart.launch(OSLO);
  expect([why(apart, OSLO), why(apart, ROME)]).toEqual([expect.stringContaining("no room for 8"), undefined]);
});

describe("stock", () => {
  const select = { gpus: 32, select: {} };
  const offers: readonly Offer[] = [
    { ...EIGHT, stock: 1, available: true },
    { ...EIGHT_IN_ROME, stock: 2, available: true },
  ];

  test("is no more than planned: the dearer ones make up for it, as far as they go", () => {
    expect(launchesOf(planOn(fleetBench({ ...select, gpus: 24 }), { offers }))).toEqual([
      "h100-8 north",
      "h100-8 south",
      "h100-8 south",
    ]);
  });

  test("that does not do is launched, and the rest waits with the reason", () => {
    const { launches, reasons } = planOn(fleetBench(select), { offers });
    expect(launches).toHaveLength(3);
    expect(reasons).toEqual([
      "only 24 of the 32 missing GPUs can be had now: the rest of what fits is sold out",
    ]);
  });

  test("that is no more leaves what fits sold out", () => {
    const none = offers.map((offer) => ({ ...offer, stock: 0, available: false }));
    expect(planOn(fleetBench(select), { offers: none })).toMatchObject({
      launches: [],
      reasons: ["what fits is sold out: none of the 32 missing GPUs can be had now"],
    });
  });
});

test("a place that just lost machines is used all the same where others cost too much more", () => {
  // Rome costs 12.5% more.
  for (const [avoid, first] of [
    ["12%", "h100-8 north"],
    ["12.5%", "h100-8 south"],
    ["13%", "h100-8 south"],
    ["0%", "h100-8 north"],
    [undefined, "h100-8 north"],
  ] as const) {
    const on = fleetBench({ gpus: 16, select: {}, ...(avoid && { avoid }) });
    for (const id of ["m1", "m2"]) runs(on, id, OSLO);
    interrupt(on, "m1");
    const plan = planOn(on, { offers: [EIGHT, EIGHT_IN_ROME] });
    expect([avoid, ...launchesOf(plan)]).toEqual([avoid, first]);
  }
});

test("where nothing is said, a place that just lost machines is passed over only where others cost no more, or what it lost was in its first hour", () => {
  // EIGHT costs 16 USD an hour.
  for (const [avoid, hours, elsewhere, first] of [
    [undefined, 2, "16.0000", "h100-8 south"],
    ["0%", 2, "16.0000", "h100-8 south"],
    [undefined, 2, "16.0100", "h100-8 north"],
    ["12%", 2, "17.6000", "h100-8 south"],
    [undefined, 0.5, "17.6000", "h100-8 south"],
    ["0%", 0.5, "17.6000", "h100-8 north"],
    [undefined, 0.5, "17.6100", "h100-8 north"],
  ] as const) {
    const on = fleetBench({ gpus: 16, select: {}, ...(avoid && { avoid }) });
    for (const id of ["m1", "m2"]) runs(on, id, OSLO);
    on.advance(hours * HOUR);
    interrupt(on, "m1");
    const plan = planOn(on, { offers: [EIGHT, { ...EIGHT_IN_ROME, pricePerHour: elsewhere }] });
    expect([avoid, hours, elsewhere, ...launchesOf(plan)]).toEqual([avoid, hours, elsewhere, first]);
  }
});

test("a place that just lost machines is used only for what no other can make", () => {
  const on = fleetBench({ gpus: 32, select: {}, avoid: "20%" });
  for (const id of ["m1", "m2"]) runs(on, id, OSLO);
  interrupt(on, "m1");
  const offers = [EIGHT, { ...EIGHT_IN_ROME, stock: 2 }];
  expect([...launchesOf(planOn(on, { offers }))].sort()).toEqual([
    "h100-8 north",
    "h100-8 south",
    "h100-8 south",
  ]);
});

describe("a budget an hour", () => {
  test("takes a mix that it pays for, before one that it does not", () => {
    // Two singles are nearer at hand than they are cheap.
    const on = fleetBench({
      gpus: 8,
      overshoot: 0,
      candidates: [EIGHT, EIGHT_IN_ROME],
      budget: { perHour: "17" },
    });
    on.machine("gone", OSLO, { ...OSLO, status: "running" });
    interrupt(on, "gone");
    // Oslo just lost a machine, and Rome is too dear.
    expect(launchesOf(planOn(on))).toEqual(["h100-8 north"]);
  });

  test("that pays for some of it gets as many GPUs as it can, and says what all would cost", () => {
    const on = fleetBench({ gpus: 24, candidates: [EIGHT, EIGHT_IN_ROME], budget: { perHour: "35" } });
    const { launches, reasons } = planOn(on);
    expect(launches).toHaveLength(2);
    expect(reasons).toEqual([
      "the budget of 35.00 USD an hour pays for 16 of the 24 missing GPUs: the cheapest mix of them costs 48.00 an hour",
    ]);
  });

  test("counts what runs and what may run", () => {
    const on = fleetBench({ gpus: 24, candidates: [EIGHT], budget: { perHour: "35" } });
    on.machine("m1", { ...OSLO, pricePerHour: "16.0000" }, { ...OSLO, status: "running", gpus: 8 });
    on.launch({ ...OSLO, pricePerHour: "16.0000" });
    expect(planOn(on)).toMatchObject({
      launches: [],
      reasons: [
        "the budget of 35.00 USD an hour (32.00 are spent) does not pay for any of the 8 missing GPUs: the cheapest mix of them costs 16.00 an hour",
      ],
    });
  });
});

describe("surge", () => {
  const wish = { gpus: 8, candidates: [EIGHT] };

  test("lets a replacement be launched while what it replaces still stops", () => {
    const stopping = (surge: number): LaunchBench => {
      const on = fleetBench({ ...wish, surge });
      runs(on, "m1", OSLO);
      on.show("m1", { status: "stopping" });
      on.advance(1);
      on.list();
      return on;
    };
    expect(launchesOf(planOn(stopping(8)))).toEqual(["h100-8 north"]);
    expect(planOn(stopping(7))).toMatchObject({ launches: [], stopping: 8 });
    expect(planOn(stopping(0)).reasons).toEqual([
      "8 GPUs are still stopping, and paid for until that has ended",
    ]);
  });

  test("adds nothing to what is asked for", () => {
    const on = fleetBench({ ...wish, gpus: 8, surge: 8 });
    expect(planOn(on).launches).toHaveLength(1);
    runs(on, "m1", OSLO);
    expect(planOn(on).launches).toEqual([]);
  });
});
