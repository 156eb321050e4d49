import { expect, test } from "vitest";
import { isAgentAlive } from "../../agent/fleet/phase/agent-alive.ts";
import type { TickOptions } from "../../agent/reconcile/tick.ts";
import { tick } from "../../agent/reconcile/tick.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { FaultInput, Target } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, requestsBetween, SECOND } from "./on-stage.ts";

const candidates = [candidate(H100), candidate(H100_SOUTH)];

async function running(): Promise<Stage> {
  const on = await onStage();
  await on.declare({ training: { gpus: 32, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(4);
  return on;
}

const always = (on: Stage, target: Target, fault: FaultInput): void =>
  on.simulator.control.faults.chance(target, [{ fault, probability: 1 }]);

const troubles: readonly (readonly [string, FaultInput, RegExp])[] = [
  ["refuses the key", { kind: "errorBefore", status: 401 }, /refused the credential/],
  ["cannot be reached", { kind: "refuse" }, /cannot be reached/],
  ["breaks off", { kind: "dropBefore" }, /cannot be reached/],
  ["answers with HTML", { kind: "unreadable", how: "html" }, /not with JSON/],
  ["answers with other JSON", { kind: "unreadable", how: "otherJson" }, /array|items/],
  ["answers 500", { kind: "errorBefore", status: 500 }, /500/],
];

test.each(troubles)(
  "a service that %s: nothing is launched or stopped, it is asked ever more seldom, and then all goes on",
  async (_, fault, message) => {
    const on = await running();
    always(on, "deployments", fault);
    // Half of what runs is lost meanwhile, and the fleet is to shrink: neither may be acted upon blindly.
    for (const { id } of on.alive().slice(0, 2)) on.simulator.control.interrupt(id, { now: true });
    await on.declare({ training: { gpus: 24, candidates } });
    const before = on.simulator.truth();
    await on.clock.advance(30 * MINUTE);
    const { deployments = 0, ...others } = requestsBetween(before, on.simulator.truth());
    expect(others).toEqual({});
    // A tick a minute, each with three repeats at most.
    expect(deployments).toBeLessThan(4 * 36);
    expect(on.errors.length).toBeGreaterThan(20);
    expect(on.errors.length).toBeLessThan(36);
    expect(new Set(on.errors).size).toBe(1);
    expect(on.errors[0]).toMatch(message);
    expect(on.errors[0]).not.toContain(on.simulator.apiKey);
    on.simulator.control.faults.clear();
    await on.clock.advance(10 * MINUTE);
    expect(on.alive().map(({ state }) => state)).toEqual(["running", "running", "running"]);
    expect(on.launches()).toBe(5);
  },
);

test("a stop that was asked for goes on while lists fail: the machine bills all the while", async () => {
  const on = await running();
  on.simulator.control.faults.next("stop", { kind: "errorBefore", status: 500 });
  await on.declare({ training: { gpus: 24, candidates } });
  await on.clock.advance(DEFAULT_SETTINGS.poll + SECOND);
  expect(on.alive()).toHaveLength(4);
  always(on, "deployments", { kind: "errorBefore", status: 500 });
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(3);
  on.simulator.control.faults.clear();
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(3);
  expect(on.launches()).toBe(4);
});

test("a stop that was asked for goes on in a tick that cannot decide: the machine bills all the while", async () => {
  const on = await onStage();
  await on.declare({ training: { gpus: 32, candidates } });
  const once = (options: TickOptions = {}) =>
    on.clock.run(tick(on.keeper, new AbortController().signal, options));
  for (let round = 0; on.alive().length < 4; round++) {
    await once();
    await on.clock.advance(MINUTE);
    expect(round).toBeLessThan(10);
  }
  on.simulator.control.faults.next("stop", { kind: "errorBefore", status: 500 });
  await on.declare({ training: { gpus: 24, candidates } });
  await once();
  expect(on.alive()).toHaveLength(4);
  await on.clock.advance(5 * MINUTE);
  const mine = () => {
    throw new Error("no fleet can be decided on");
  };
  await expect(once({ mine })).rejects.toThrow("no fleet can be decided on");
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(3);
});

test.each([
  ["as long as it says", 400, 400],
  ["a quarter of an hour at most: lists guard money", 3600, 900],
])(
  "a service that asks to wait is left alone %s, and the account is kept all the time",
  async (_, seconds, waited) => {
    const on = await running();
    on.simulator.control.faults.next("deployments", { kind: "tooMany", seconds });
    await on.clock.advance(15 * SECOND);
    const before = on.simulator.truth();
    await on.clock.advance((waited - 1) * SECOND);
    expect(requestsBetween(before, on.simulator.truth())).toEqual({});
    expect(on.errors).toEqual([expect.stringContaining(`It asks to wait ${seconds} s.`)]);
    expect(isAgentAlive(await draftOf(on), contextOf(on.keeper))).toBe(true);
    await on.clock.advance(SECOND);
    expect(requestsBetween(before, on.simulator.truth())).toEqual({ deployments: 1 });
  },
);

test("a list that is cut: nothing is launched or stopped, and it is asked about by id", async () => {
  const on = await running();
  on.simulator.control.faults.next("deployments", { kind: "cut", keep: 0 });
  await on.declare({ training: { gpus: 24, candidates } });
  const ticks = on.reports.length;
  await on.clock.advance(15_000);
  expect(on.reports[ticks]).toMatchObject({
    believed: false,
    launched: [],
    plans: [{ reasons: [expect.stringContaining("is not believed before a second one agrees")] }],
  });
  expect(on.alive()).toHaveLength(4);
  await on.clock.advance(5 * MINUTE);
  expect(on.launches()).toBe(4);
  expect(on.alive()).toHaveLength(3);
});

test("lists that stay cut while each machine still answers by its id: nothing is gone", async () => {
  const on = await running();
  always(on, "deployments", { kind: "cut", keep: 0.25 });
  await on.clock.advance(30 * MINUTE);
  expect(on.launches()).toBe(4);
  expect(on.alive()).toHaveLength(4);
});

test("a stop that was asked for before waits, too, while the list is distrusted", async () => {
  const on = await running();
  always(on, "stop", { kind: "dropBefore" });
  await on.declare({ training: { gpus: 24, candidates } });
  await on.clock.advance(15_000);
  expect([...(await draftOf(on)).deployments.values()].filter(({ stop }) => stop !== null)).toHaveLength(1);
  on.simulator.control.faults.clear();
  on.simulator.control.faults.next("deployments", { kind: "cut", keep: 0 });
  const before = on.simulator.truth();
  await on.clock.advance(15_000);
  expect(requestsBetween(before, on.simulator.truth()).stop).toBeUndefined();
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(3);
});

test("offers that cannot be read hold the fleet that chooses among them, and no other", async () => {
  const on = await onStage();
  always(on, "offers", { kind: "errorBefore", status: 500 });
  await on.declare({ choosing: { gpus: 8, select: {} }, training: { gpus: 8, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(1);
  expect(on.errors).toEqual([]);
  expect(on.reports.at(-1)?.plans.map(({ reasons }) => reasons.join())).toEqual([
    expect.stringContaining("the offers cannot be read"),
    "",
  ]);
  on.simulator.control.faults.clear();
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(2);
});

test("a balance that cannot be read holds the fleet with a floor, and no other", async () => {
  const on = await onStage();
  always(on, "balance", { kind: "errorBefore", status: 500 });
  const priced = candidates.map((each) => ({ ...each, pricePerHour: "18" }));
  await on.declare({
    careful: { gpus: 8, candidates: priced, budget: { floor: "100" } },
    training: { gpus: 8, candidates },
  });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(1);
  on.simulator.control.faults.clear();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(2);
});

test("a launch and a stop that hang keep no other fleet from being looked after", async () => {
  const on = await onStage();
  await on.declare({
    alpha: { gpus: 8, candidates },
    beta: { gpus: 8, candidates },
    gamma: { gpus: 8, candidates },
  });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const machine = async (fleet: string): Promise<string> =>
    [...(await draftOf(on)).deployments.values()].find(({ owner }) => owner === `fleet:${fleet}`)?.id ?? "";
  const [alpha, gamma] = [await machine("alpha"), await machine("gamma")];
  await on.declare({ alpha: { gpus: 8, candidates }, gamma: { gpus: 8, candidates } });
  for (const id of [alpha, gamma]) on.simulator.control.interrupt(id, { now: true });
  on.simulator.control.faults.next("stop", { kind: "slow", seconds: 100 });
  on.simulator.control.faults.next("launch", { kind: "slow", seconds: 100 });
  await on.clock.advance(16_000);
  // beta's stop and alpha's launch hang; gamma's launch was sent all the same.
  expect(on.launches()).toBe(5);
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(2);
});
