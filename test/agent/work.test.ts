import { describe, expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import {
  evenGpus,
  nextAsked,
  nextPrices,
  noReturnAt,
  type WorkState,
} from "../../agent/planning/work/work-size.ts";
import { H100, H100_SINGLE, type Stage } from "../support/stage.ts";
import { MINUTE, nextAgent, onStage, reasonsOf } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const SINCE = { wall: 0, mono: 0, boot: "boot" };

function text(at: number): string {
  return new Date(at).toISOString();
}

/** GPU-hours of machines that ran until a moment, by the simulator's truth. */
function hoursUntil(on: Stage, at: number): number {
  return on.simulator.truth().machines.reduce((sum, { gpus, states, lostAt, endedAt }) => {
    const from = states.find(({ state }) => state === "running")?.at;
    const left = states.find(({ state }) => state === "stopping")?.at ?? at;
    const to = Math.min(at, left, lostAt ?? at, endedAt ?? at);
    return from === undefined ? sum : sum + (gpus * Math.max(0, to - from)) / HOUR;
  }, 0);
}

describe("how many GPUs are asked for", () => {
  /** 100 GPU-hours with at most 10 GPUs in 40 hours. */
  const state = (done: number, hour: number): WorkState => ({
    ...{ most: 10, goal: 100 * HOUR, done: done * HOUR },
    ...{ begun: 0, by: 40 * HOUR, now: hour * HOUR },
  });
  const row = { since: SINCE, gpus: 0 };
  const priced = { ...row, prices: { at: 0, of: [1, 1, 2, 2, 3, 3, 4, 4] } };
  const at = (...offered: readonly (readonly [price: number, gpus: number])[]) => ({
    own: [],
    offered: offered.map(([price, gpus]) => ({ price, gpus })),
  });

  test("is what goes on evenly, while no prices are known, and never less than before", () => {
    expect(evenGpus(state(0, 0))).toBe(2.5);
    expect(nextAsked(row, state(0, 0), undefined)).toEqual({ gpus: 3 });
    expect(nextAsked({ ...row, gpus: 4 }, state(20, 6), undefined)).toEqual({ gpus: 4 });
  });

  test("is what can be had for the price of the cheapest hours that are needed", () => {
    // A bit more than a quarter of the time.
    expect(nextAsked(priced, state(0, 0), at([2, 4], [2.1, 8]))).toEqual({ gpus: 4, ceiling: 2 });
    expect(nextAsked(priced, state(0, 0), at([1, 40]))).toEqual({ gpus: 10, ceiling: 2 });
    expect(nextAsked(priced, state(0, 0), at([3, 40]))).toEqual({ gpus: 0, ceiling: 2 });
    // Less is left, in as much time.
    expect(nextAsked(priced, state(80, 10), at([2, 4]))).toEqual({ gpus: 0, ceiling: 1 });
  });

  test("keeps what runs for up to a tenth more, and stays where nobody looked", () => {
    const own = { own: [{ price: 2.19, gpus: 2 }], offered: [{ price: 2.19, gpus: 8 }] };
    expect(nextAsked(priced, state(0, 0), own)).toEqual({ gpus: 2, ceiling: 2 });
    expect(nextAsked({ ...priced, gpus: 7 }, state(0, 0), undefined)).toEqual({ gpus: 7, ceiling: 2 });
  });

  test("is no less than what goes on evenly, at any price, once it is a quarter behind", () => {
    expect(nextAsked(priced, state(30, 21), at([9, 40]))).toEqual({ gpus: 0, ceiling: 2 });
    expect(nextAsked(priced, state(27, 21), at([9, 40]))).toEqual({ gpus: 4 });
  });

  test("is all of it from the point of no return on, until it is done", () => {
    const late = state(27, 31.5);
    expect(noReturnAt(state(27, 20)) / HOUR).toBeCloseTo(40 - 0.5 - 7.3 * 1.1);
    expect(nextAsked(priced, late, at([9, 40]))).toEqual({ gpus: 10, late: true });
    expect(nextAsked({ ...priced, late: true }, state(99, 32), at([9, 40]))).toEqual({
      gpus: 10,
      late: true,
    });
    expect(nextAsked({ ...priced, late: true }, state(100, 33), undefined)).toEqual({
      gpus: 0,
      over: "done",
    });
    expect(nextAsked({ ...priced, late: true }, state(99, 40), undefined)).toEqual({
      gpus: 0,
      over: "missed",
    });
  });

  test("goes by one price an hour, of all the GPUs that it may have, for a week", () => {
    const seen = nextPrices(undefined, state(0, 1), at([1, 5], [2, 50]));
    expect(seen).toEqual({ at: HOUR, of: [1.5] });
    expect(nextPrices(seen, state(0, 1.9), at([9, 50]))).toBe(seen);
    expect(nextPrices(seen, state(0, 2), at([9, 50]))).toEqual({ at: 2 * HOUR, of: [1.5, 9] });
    expect(nextPrices(seen, state(0, 2), at())).toBe(seen);
    const long = { at: 0, of: Array.from({ length: 168 }, () => 1) };
    expect(nextPrices(long, state(0, 1), at([2, 50]))?.of).toHaveLength(168);
  });
});

describe("an agent", () => {
  const select = { gpuModel: "H100" };

  test("does the work, pays for no hour after it, and says so", async () => {
    const on = await onStage();
    const by = on.clock.now() + 10 * HOUR;
    await on.declare({ batch: { gpus: 8, work: { gpuHours: 40, by: text(by) }, select } });
    on.start();
    await on.clock.advance(HOUR);
    expect(reasonsOf(on, "batch")).toMatch(
      /^work: \d+% of 40 GPU-hours are done, and [\d.]+ GPU-hours are left until 2030-01-01T10:00Z/m,
    );
    expect(reasonsOf(on, "batch")).toMatch(
      /^work: there is time enough for it; its point of no return is 2030-01-01T0\d:\d\dZ: from then on all 8 GPUs/m,
    );
    await on.clock.advanceTo(by);
    expect(hoursUntil(on, by)).toBeGreaterThanOrEqual(40);
    await on.clock.advance(HOUR);
    expect(on.alive()).toEqual([]);
    expect(hoursUntil(on, on.clock.now())).toBeLessThan(56);
    expect(reasonsOf(on, "batch")).toMatch(/^its work is done: 40 GPU-hours\. /m);
    const events = await on.keeper.ledger.events(on.keeper.account, 100);
    expect(events.filter(({ kind }) => kind === "workDone")).toHaveLength(1);
    expect(on.errors).toEqual([]);
  });

  test("says that budget.total is spent before the work is done", async () => {
    const on = await onStage();
    const work = { gpuHours: 40, by: text(on.clock.now() + 10 * HOUR) };
    const wish = { gpus: 8, work, select };
    await on.declare({
      batch: { ...wish, budget: { total: "9000" } },
      poor: { ...wish, budget: { total: "40" } },
    });
    on.start();
    await on.clock.advance(HOUR);
    expect(reasonsOf(on, "poor")).toMatch(/^work: budget.total, 40.00 USD, is spent before it is done/m);
    expect(reasonsOf(on, "batch")).not.toContain("budget.total");
  });

  test("waits where it is dear, takes what is cheap, and goes on at any price at the end", async () => {
    const on = await onStage({ offers: [{ ...H100_SINGLE, pricePerHour: "2.0000" }] });
    const by = on.clock.now() + 40 * HOUR;
    await on.declare({ batch: { gpus: 4, work: { gpuHours: 60, by: text(by) }, select } });
    on.start();
    const price = (usd: string): void => on.simulator.control.setPrice(H100_SINGLE, usd);
    await on.clock.advance(8 * HOUR);
    price("3.0000");
    await on.clock.advance(2 * HOUR);
    // What runs stays at the price that it was launched for.
    const before = on.launches();
    for (const { id } of on.alive()) on.simulator.control.interrupt(id);
    await on.clock.advance(2 * HOUR);
    expect([on.alive().length, on.launches()]).toEqual([0, before]);
    expect(reasonsOf(on, "batch")).toMatch(/^work: it waits for GPUs at at most 2\.00/m);
    price("1.9000");
    await on.clock.advance(MINUTE);
    expect(on.alive()).toHaveLength(4);
    for (const { id } of on.alive()) on.simulator.control.interrupt(id);
    price("9.0000");
    await on.clock.advanceTo(by);
    expect(hoursUntil(on, by)).toBeGreaterThanOrEqual(60);
  });

  test("counts after a restart what was done before, and nothing that was lost", async () => {
    const on = await onStage({ offers: [H100] });
    const by = on.clock.now() + 6 * HOUR;
    await on.declare({ batch: { gpus: 8, work: { gpuHours: 30, by: text(by) }, select } });
    const { stop } = nextAgent(on);
    await on.clock.advance(2 * HOUR);
    await stop();
    for (const { id } of on.alive()) on.simulator.control.interrupt(id);
    await on.clock.advance(HOUR);
    nextAgent(on);
    await on.clock.advanceTo(by);
    expect(hoursUntil(on, by)).toBeGreaterThanOrEqual(30);
  });

  test("does nothing after the deadline, says what was missed, and goes on with a later one", async () => {
    const on = await onStage({ offers: [{ ...H100_SINGLE, capacity: 1 }] });
    const begun = on.clock.now();
    const wish = (gpuHours: number, by: number) => ({
      batch: { gpus: 8, work: { gpuHours, by: text(by) }, select },
    });
    await on.declare(wish(10, begun + 4 * HOUR));
    on.start();
    await on.clock.advance(6 * HOUR);
    expect(on.alive()).toEqual([]);
    expect(reasonsOf(on, "batch")).toMatch(
      /^its work was not done by 2030-01-01T04:00Z: 3\.\d+ GPU-hours of 10 GPU-hours are/m,
    );
    await on.declare(wish(10, begun + 16 * HOUR));
    await on.clock.advance(8 * HOUR);
    expect(hoursUntil(on, on.clock.now())).toBeGreaterThanOrEqual(10);
    await on.clock.advance(2 * HOUR);
    expect(hoursUntil(on, on.clock.now())).toBeLessThan(11.5);
    expect(on.alive()).toEqual([]);
    // Done, and another deadline: nothing is done twice. More work goes on from there.
    const done = hoursUntil(on, on.clock.now());
    await on.declare(wish(10, begun + 40 * HOUR));
    await on.clock.advance(5 * HOUR);
    expect(hoursUntil(on, on.clock.now())).toBe(done);
    expect(reasonsOf(on, "batch")).toMatch(
      /^its work is done: 10 GPU-hours. For more, write more work.gpuHours/m,
    );
    await on.declare(wish(14, begun + 40 * HOUR));
    await on.clock.advance(12 * HOUR);
    expect(hoursUntil(on, on.clock.now())).toBeGreaterThanOrEqual(14);
    expect(hoursUntil(on, on.clock.now())).toBeLessThan(15.5);
    const events = await on.keeper.ledger.events(on.keeper.account, 100);
    expect(events.filter(({ kind }) => kind === "workDone")).toHaveLength(2);
  });

  test("is refused work that cannot be done, and goes on with what is late", async () => {
    const on = await onStage();
    const by = text(on.clock.now() + 10 * HOUR);
    await expect(on.declare({ batch: { gpus: 8, work: { gpuHours: 90, by }, select } })).rejects.toThrow(
      "90 GPU-hours cannot be done by 2030-01-01T10:00:00.000Z: 8 GPUs make 80 in the 10.0 hours until then. Write gpus: 9 or more, a later work.by, or fewer work.gpuHours.",
    );
    const over = text(on.clock.now() - 1);
    await expect(on.declare({ batch: { gpus: 8, work: { gpuHours: 1, by: over }, select } })).rejects.toThrow(
      "is over",
    );
    await on.declare({ batch: { gpus: 8, work: { gpuHours: 9, by }, select } });
    on.start();
    await on.clock.advance(5 * HOUR);
    await on.declare({ batch: { gpus: 8, work: { gpuHours: 90, by }, select } });
    await on.clock.advance(MINUTE);
    expect(reasonsOf(on, "batch")).toMatch(/^work: it cannot be done by then any more, as 8 GPUs make less/m);
  });

  test("keeps to its limits and says that the work is late", async () => {
    const on = await onStage({ offers: [H100_SINGLE] });
    const by = on.clock.now() + 3 * HOUR;
    const budget = { perHour: "5" };
    await on.declare({ batch: { gpus: 8, work: { gpuHours: 20, by: text(by) }, select, budget } });
    on.start();
    await on.clock.advanceTo(by);
    expect(hoursUntil(on, by)).toBeLessThan(7);
    expect(on.simulator.truth().machines).toHaveLength(2);
  });
});

test.each([
  [
    "gpus: 8, work: { gpuHours: 0, by: 2026-12-04T18:00Z }",
    "work.gpuHours: expected a number of GPU-hours above 0",
  ],
  ["gpus: 8, work: { gpuHours: 4, by: 3h }", "work.by: expected a moment with its time zone"],
  ["gpus: 8, work: 4", "work: expected { gpuHours: 400, by:"],
  ["gpus: 0, work: WORK", "gpus: expected 1 or more beside work"],
  ["gpus: 8, work: WORK, life: 2h", "work: expected none beside life"],
  ["gpus: 8, work: WORK, improve: { saves: 10% }", "work: expected none beside improve"],
  ["gpus: 8, work: WORK, allOrNothing: { within: 5m }", "work: expected none beside allOrNothing"],
  [
    "gpus: 8, work: WORK, until: 2026-12-01T00:00Z",
    "work.by: expected a moment up to until, 2026-12-01T00:00Z",
  ],
  ["gpus: 8, work: WORK", undefined],
])("a file with %s is told so", (line, wrong) => {
  const work = "{ gpuHours: 4, by: 2026-12-04T18:00Z }";
  const file = `fleets:\n  - { name: batch, select: { gpuModel: H100 }, ${line.replace("WORK", work)} }`;
  const read = (): unknown => parseFleetFile(file, "/fleet.yaml");
  if (wrong === undefined) expect(read()).toBeDefined();
  else expect(read).toThrow(wrong);
});
