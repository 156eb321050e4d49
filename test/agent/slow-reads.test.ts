import { expect, test } from "vitest";
import { InFlight } from "../../agent/reconcile/in-flight.ts";
import { SideReads } from "../../agent/reconcile/side-reads.ts";
import { tick } from "../../agent/reconcile/tick.ts";
import type { Target } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf, requestsBetween, SECOND } from "./on-stage.ts";

const plain = { gpus: 16, candidates: [candidate(H100)] };
const floored = {
  gpus: 8,
  candidates: [{ ...candidate(H100_SOUTH), pricePerHour: "18" }],
  budget: { floor: "2000" },
};

const slow = (on: Stage, target: Target, seconds: number): void =>
  on.simulator.control.faults.chance(target, [{ fault: { kind: "slow", seconds }, probability: 1 }]);

const places = (on: Stage): readonly string[] => on.alive().map(({ place }) => place);

test("a balance that takes longer than a poll holds the fleet with a floor, which says so, and no other", async () => {
  const on = await onStage();
  slow(on, "balance", 20);
  await on.declare({ floored, plain });
  on.start();
  await on.clock.advance(5 * MINUTE);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  expect(reasonsOf(on, "floored")).toContain("the balance cannot be read: no whole answer came within 10 s");
  expect(reasonsOf(on, "floored")).toContain("FLEETKEEPER_PROTOCOL");
  on.simulator.control.faults.clear();
  on.simulator.control.setBalance("5000.0000");
  await on.clock.advance(5 * MINUTE);
  expect(on.launches()).toBe(3);
});

test("a balance that takes most of a poll is still enough for a launch", async () => {
  const on = await onStage({ balance: "5000.0000" });
  slow(on, "balance", 9);
  await on.declare({ floored });
  on.start();
  await on.clock.advance(5 * MINUTE);
  expect(places(on)).toEqual(["south/rome"]);
});

test("a machine that lists lack and whose own answer is slow keeps no fleet from replacing what it lost", async () => {
  const on = await onStage();
  await on.declare({
    first: { ...plain, gpus: 24 },
    second: { gpus: 16, candidates: [candidate(H100_SOUTH)] },
  });
  on.start();
  await on.clock.advance(10 * MINUTE);
  on.simulator.control.hide(on.alive()[0]?.id ?? "");
  slow(on, "deployment", 16);
  await on.clock.advance(MINUTE);
  const lost = on.alive().find(({ place }) => place === "south/rome");
  on.simulator.control.interrupt(lost?.id ?? "", { now: true });
  await on.clock.advance(MINUTE);
  expect(on.launches()).toBe(6);
  await on.clock.advance(60 * MINUTE);
  // The hidden one answers by its id all the time: it is not gone.
  expect(on.launches()).toBe(6);
  expect(on.alive()).toHaveLength(5);
});

test("a machine that is really gone is found to be so, though its 404 takes longer than a poll", async () => {
  const on = await onStage();
  await on.declare({ first: { ...plain, gpus: 24 } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  slow(on, "deployment", 16);
  on.simulator.control.forget(on.alive()[0]?.id ?? "");
  await on.clock.advance(5 * MINUTE);
  expect(on.launches()).toBe(4);
});

test("offers that take longer than a poll are there for a later tick, and hold no other fleet meanwhile", async () => {
  const on = await onStage();
  slow(on, "offers", 25);
  await on.declare({ choosing: { gpus: 8, select: { providers: ["south"], gpuModel: "H100" } }, plain });
  on.start();
  await on.clock.advance(40 * SECOND);
  expect(places(on)).toContain("north/oslo");
  await on.clock.advance(5 * MINUTE);
  expect([...places(on)].sort()).toEqual(["north/oslo", "north/oslo", "south/rome"]);
});

test("reads that hang: the agent comes round all the time, and asks for each once at a time", async () => {
  const on = await onStage();
  await on.declare({ first: { ...plain, gpus: 24 } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  on.simulator.control.hide(on.alive()[0]?.id ?? "");
  for (const target of ["balance", "deployment", "offers"] as const) slow(on, target, 1000);
  await on.declare({
    first: { ...plain, gpus: 24 },
    floored,
    choosing: { gpus: 8, select: { providers: ["south"] } },
  });
  const before = on.simulator.truth();
  const ticks = on.reports.length;
  let longest = 0;
  for (let minutes = 0; minutes < 30; minutes++) {
    await on.clock.advance(MINUTE);
    const { agent } = (await draftOf(on)).account;
    longest = Math.max(longest, on.keeper.clock.now().mono - (agent?.beat.mono ?? 0));
  }
  expect(longest).toBeLessThan(MINUTE);
  expect(on.reports.length - ticks).toBeGreaterThan(60);
  const asked = requestsBetween(before, on.simulator.truth());
  // Each attempt hangs for 30 s, and one reading has four.
  for (const target of ["balance", "deployment", "offers"]) expect(asked[target]).toBeLessThan(64);
});

test("a tick with none after it waits for what is slow, and launches from a list that is fresh all the same", async () => {
  const on = await onStage();
  slow(on, "offers", 25);
  await on.declare({ choosing: { gpus: 8, select: { gpuModel: "H100" } }, plain });
  for (let round = 0; round < 4; round++) await on.clock.run(tick(on.keeper, new AbortController().signal));
  expect(on.alive()).toHaveLength(3);
});

test("what a tick did not wait for is not used when it has become old", async () => {
  const on = await onStage();
  slow(on, "offers", 25);
  const reads = new SideReads(new InFlight(() => undefined));
  const signal = new AbortController().signal;
  const wanted = { offers: true, balance: false };
  const read = (): Promise<{ readonly offers: unknown }> =>
    on.clock.run(reads.inputs(on.keeper, wanted, SECOND, signal));
  expect((await read()).offers).toBeUndefined();
  await on.clock.advance(MINUTE);
  expect((await read()).offers).toBeUndefined();
  await on.clock.advance(26 * SECOND);
  expect((await read()).offers).toHaveLength(3);
});
