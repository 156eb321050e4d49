import { describe, expect, test } from "vitest";
import { resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { Truth, TruthMachine } from "../../simulator/index.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import { REPEATS } from "../support/repeats.ts";
import type { Stage, StageOptions } from "../support/stage.ts";
import { H100, H100_SINGLE, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const priced = [H100, H100_SOUTH].map((offer) => ({ ...candidate(offer), pricePerHour: offer.pricePerHour }));
const RESTLESS = {
  interruptionsPerDay: 16,
  failureRate: 0.1,
  billing: "perHour",
  refundOnStop: false,
} as const;

/** What the service has truly taken and kept, in USD. */
function charged({ machines }: Truth): number {
  return machines.reduce((sum, { statement }) => sum + Number(statement.charged), 0);
}

async function running(budget: object, options: StageOptions = {}, gpus = 16): Promise<Stage> {
  // Hours and days pass here: a slow poll keeps the test quick.
  const on = await onStage({ balance: "100000.0000", protocol: { poll: MINUTE }, ...options });
  await on.declare({ training: { gpus, candidates: priced, budget } });
  on.start();
  return on;
}

describe("a total", () => {
  const inHours = "is never crossed by hours that have begun, in any weather (%i)";
  const hoursOf = async (seed: number): Promise<void> => {
    const on = await running({ total: "300" }, { seed, settings: RESTLESS });
    const before: number[] = [];
    for (let hours = 0; hours < 14; hours++) {
      await on.clock.advance(HOUR);
      before.push(charged(on.simulator.truth()));
    }
    expect(Math.max(...before)).toBeLessThanOrEqual(300);
    expect(before.at(-1)).toBeGreaterThan(300 - 3 * 18);
    expect(on.alive()).toEqual([]);
  };
  test.each([1])(inHours, hoursOf);
  test.each([2, 3])(inHours, REPEATS, hoursOf);

  test("drains the fleet before the hour that it could not pay, and not much sooner", async () => {
    const on = await running({ total: "100" }, { settings: { billing: "perHour" } });
    await on.clock.advance(2 * HOUR + 50 * MINUTE);
    expect(on.alive()).toHaveLength(2);
    await on.clock.advance(20 * MINUTE);
    expect(on.alive()).toEqual([]);
    expect(charged(on.simulator.truth())).toBe(96);
    expect(reasonsOf(on)).toBe("drained: the fleet has cost 96.00 USD of its total of 100.00");
  });

  test("leaves a fleet drained whose rest would pay for one more hour of a small machine", async () => {
    const single = { ...candidate(H100_SINGLE), pricePerHour: "2.5" };
    const on = await onStage({ protocol: { poll: MINUTE } });
    await on.declare({ training: { gpus: 17, candidates: [...priced, single], budget: { total: "110" } } });
    on.start();
    await on.clock.advance(12 * HOUR);
    expect(on.launches()).toBe(3);
    expect(on.alive()).toEqual([]);
    expect(await told(on)).toEqual([
      "training is drained: the fleet has cost 103.50 USD of its total of 110.00, and the next hour would make it 138.00",
    ]);
  });

  test("lets an operator spend what is left of it, and no more", async () => {
    const on = await running({ total: "100" }, { settings: { billing: "perHour" } });
    await on.clock.advance(4 * HOUR);
    expect(await resume(on)).toEqual({ kind: "kept" });
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toEqual([]);
    const small = { ...candidate(H100_SINGLE), pricePerHour: "2.5" };
    await on.declare({ training: { gpus: 1, candidates: [small], budget: { total: "100" } } });
    await on.clock.advance(3 * HOUR);
    expect(charged(on.simulator.truth())).toBe(98.5);
    expect(on.alive()).toEqual([]);
    await on.declare({ training: { gpus: 1, candidates: [small], budget: { total: "90" } } });
    await on.clock.advance(5 * MINUTE);
    expect(await resume(on)).toMatchObject({ kind: "drained", by: "total" });
    const before = (await told(on)).length;
    await on.clock.advance(5 * MINUTE);
    expect(await told(on)).toHaveLength(before);
  });

  test("goes on when it is raised, from what was paid so far", async () => {
    const on = await running({ total: "100" }, { settings: { billing: "perHour" } });
    await on.clock.advance(4 * HOUR);
    await on.declare({ training: { gpus: 16, candidates: priced, budget: { total: "200" } } });
    await on.clock.advance(12 * HOUR);
    expect(charged(on.simulator.truth())).toBe(192);
    expect(on.alive()).toEqual([]);
  });

  test("counts a launch whose outcome is not known as a machine", async () => {
    const on = await onStage({ balance: "100000.0000" });
    on.simulator.control.faults.next("launch", { kind: "dropAfter" });
    await on.declare({ training: { gpus: 16, candidates: priced, budget: { total: "20" } } });
    on.start();
    await on.clock.advance(30 * MINUTE);
    expect(on.launches()).toBe(1);
    expect(reasonsOf(on)).toBe(
      "the budget of 20.00 USD in all (16.00 are spent) does not pay for any of the 8 missing GPUs: the cheapest mix of them costs 16.00 an hour",
    );
  });

  test("drains a paused fleet", async () => {
    const on = await running({ total: "100" });
    await on.clock.advance(HOUR);
    await on.declare({ training: { gpus: 16, candidates: priced, paused: true, budget: { total: "100" } } });
    await on.clock.advance(3 * HOUR);
    expect(on.alive()).toEqual([]);
  });

  test("stays with a fleet that is renamed", async () => {
    const on = await running({ total: "33" });
    await on.clock.advance(30 * MINUTE);
    const { keeper } = on;
    await keeper.ledger.decide(keeper.account, (draft) => {
      for (const row of draft.deployments.values())
        deploymentAsFound(draft, { ...row, owner: "fleet:renamed" });
      for (const row of draft.intents.values()) intentAsFound(draft, { ...row, owner: "fleet:renamed" });
    });
    await on.declare({ renamed: { gpus: 16, candidates: priced, budget: { total: "33" } } });
    await on.clock.advance(2 * HOUR);
    expect(on.launches()).toBe(2);
    expect(on.alive()).toEqual([]);
  });
});

describe("a budget a day", () => {
  const byLaunches = "is never crossed by a launch, in any weather (%i)";
  const dayOf = async (seed: number): Promise<void> => {
    const perDay = 200;
    const on = await running({ perDay: String(perDay) }, { seed, settings: RESTLESS });
    await on.clock.advance(30 * HOUR);
    const { machines } = on.simulator.truth();
    const sums = machines.map(({ committedAt }) => spentOn(machines, committedAt));
    expect(Math.max(...sums)).toBeLessThanOrEqual(perDay);
    expect(Math.max(...sums)).toBeGreaterThan(perDay - 36);
    // It binds: what was lost late in a day was not replaced before midnight.
    const days = new Set(machines.map(({ committedAt }) => Math.floor(committedAt / DAY)));
    expect(days.size).toBeGreaterThanOrEqual(2);
  };
  test.each([1])(byLaunches, dayOf);
  test.each([2])(byLaunches, REPEATS, dayOf);

  test("does not stop what runs, and says until when launches wait", async () => {
    const on = await running({ perDay: "40" });
    await on.clock.advance(4 * HOUR);
    expect(on.alive()).toHaveLength(2);
    const spent = "the 40.00 USD of today are spent: what is lost is not replaced before midnight UTC.";
    expect(reasonsOf(on)).toContain(spent);
    await on.clock.advance(HOUR);
    expect(reasonsOf(on)).toContain(spent);
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(1);
    expect(reasonsOf(on)).toMatch(
      /^the budget of 40.00 USD a day, until midnight UTC \([\d.]+ are spent\) does not pay for any of/,
    );
    await on.clock.advance(DAY);
    expect(on.launches()).toBeGreaterThan(2);
  });

  test("says nothing while it is not spent", async () => {
    const on = await running({ perDay: "400" });
    await on.clock.advance(HOUR);
    expect(reasonsOf(on)).toBe("");
  });
});

describe("a budget for churn", () => {
  test("lets no more be launched once machines that did not live have cost so much, for a day", async () => {
    const on = await running({ churn: "10" }, {}, 8);
    for (let lost = 0; lost < 6; lost++) {
      await on.clock.advance(20 * MINUTE);
      const [machine] = on.alive();
      if (machine) on.simulator.control.interrupt(machine.id, { now: true });
    }
    // Each cost about a third of an hour; the unused time is refunded.
    expect(on.launches()).toBe(2);
    await on.clock.advance(MINUTE);
    expect(reasonsOf(on)).toMatch(
      /^1\d\.\d{2,4} USD went in 24 hours into machines that did not live for an hour: the budget for churn is 10.00$/,
    );
    await on.clock.advance(DAY);
    expect(on.launches()).toBe(3);
  });

  test("counts no launch that failed: it is refunded", async () => {
    const on = await onStage();
    on.simulator.control.failNext(H100, { code: "UNKNOWN" }, { times: 3 });
    await on.declare({ training: { gpus: 8, candidates: priced.slice(0, 1), budget: { churn: "1" } } });
    on.start();
    await on.clock.advance(HOUR);
    expect(on.alive()).toHaveLength(1);
  });
});

describe("a budget per GPU and hour", () => {
  test("takes what is cheaper, and says why nothing is launched where all is dearer", async () => {
    const on = await onStage();
    const single = { ...candidate(H100_SINGLE), pricePerHour: "2.5" };
    await on.declare({
      training: { gpus: 9, overshoot: 7, candidates: [single, ...priced], budget: { perGpuHour: "2.1" } },
      dear: { gpus: 8, candidates: priced, budget: { perGpuHour: "1.99" } },
    });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(on.alive().map(({ place }) => place)).toEqual(["north/oslo", "north/oslo"]);
    expect(reasonsOf(on, "dear")).toBe(
      "every combination costs more than 1.99 USD a GPU and hour, which is the budget",
    );
  });
});

/** What the hours that began on this UTC day until this moment (its launches included) have truly cost. */
function spentOn(machines: readonly TruthMachine[], at: number): number {
  const midnight = Math.floor(at / DAY) * DAY;
  return machines
    .filter(({ committedAt }) => committedAt <= at)
    .reduce((sum, machine) => sum + hoursBetween(machine, midnight, at), 0);
}

function hoursBetween(
  { committedAt, states, endedAt, failure, lostAt, statement }: TruthMachine,
  from: number,
  to: number,
): number {
  const price = Number(statement.pricePerHour);
  if (failure && (endedAt ?? to) <= to) return 0;
  const usedFrom = states.find(({ state }) => state === "running")?.at ?? to;
  const end = Math.min(endedAt !== null && endedAt <= to ? (lostAt ?? endedAt) : to, to);
  let sum = committedAt >= from ? 1 : 0;
  for (let hour = usedFrom + HOUR; hour < end; hour += HOUR) if (hour >= from) sum += 1;
  if (endedAt !== null && endedAt <= to && end >= from) {
    const used = (end - usedFrom) % HOUR;
    sum -= 1 - used / HOUR;
  }
  return price * sum;
}

function resume({ keeper }: Stage) {
  return keeper.ledger.decide(keeper.account, (draft) => resumeFleet(draft, "training", contextOf(keeper)));
}

async function told({ keeper }: Stage): Promise<readonly string[]> {
  const events = await keeper.ledger.events(keeper.account, 1000);
  return events.filter(({ kind }) => kind === "drained").map(({ text }) => text);
}

test("nothing is written down while a fleet only waits for money", async () => {
  const on = await running({ total: "100" });
  await on.clock.advance(4 * HOUR);
  const before = JSON.stringify((await draftOf(on)).fleets.get("training"));
  await on.clock.advance(HOUR);
  expect(JSON.stringify((await draftOf(on)).fleets.get("training"))).toBe(before);
});
