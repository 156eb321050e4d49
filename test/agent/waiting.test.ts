import { expect, test } from "vitest";
import { pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { contextOf } from "../../launch/keeper.ts";
import { HOUR_MS } from "../../ledger/instant.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import { H100, H100_SINGLE, H100_SOUTH, type Stage } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, nextAgent, onStage, reasonsOf, SECOND, watch } from "./on-stage.ts";

const CHEAP: CatalogueOffer = { ...H100, pricePerHour: "15.0000" };
const DEAR: CatalogueOffer = { ...H100_SOUTH, pricePerHour: "20.0000" };
const DEAREST: CatalogueOffer = { ...H100_SOUTH, location: "milan", pricePerHour: "24.0000" };
const ONE: CatalogueOffer = { ...H100_SINGLE, provider: "north", location: "bergen" };

const places = (on: Stage): readonly string[] =>
  on
    .alive()
    .map(({ place }) => place)
    .sort();
const sizes = (on: Stage): readonly number[] => on.alive().map(({ gpus }) => gpus);

/** Above 2.00 a GPU only after an hour, and above 2.50 never. */
const PATIENT = {
  gpus: 16,
  select: {
    gpuModel: "H100",
    maxPricePerGpuHour: "2.00",
    patience: { for: "1h", maxPricePerGpuHour: "2.50" },
  },
} satisfies WishInput;

test("what is cheap is taken as it comes, and what is dear after so long, at the very moment", async () => {
  const on = await onStage({ offers: [{ ...CHEAP, capacity: 1 }, DEAR, DEAREST] });
  await on.declare({ training: PATIENT });
  on.start();
  const begun = on.clock.now();
  await on.clock.advance(50 * MINUTE);
  expect(places(on)).toEqual(["north/oslo"]);
  expect(reasonsOf(on)).toMatch(
    /^what could be had costs more than 2\.00 USD a GPU and hour: it is left for \d+ s more, and then up to 2\.50 is paid \(select\.patience\)/,
  );
  expect(reasonsOf(on)).not.toContain("none of the service's");
  await on.clock.advanceTo(begun + 60 * MINUTE + 20 * SECOND);
  expect(places(on)).toEqual(["north/oslo", "south/rome"]);
  expect(on.errors).toEqual([]);
});

test("once all of it runs, the next loss waits anew; a launch that fails in between does not", async () => {
  const on = await onStage({ offers: [DEAR], settings: { failureRate: 0 } });
  await on.declare({ training: PATIENT });
  on.start();
  await on.clock.advance(40 * MINUTE);
  expect(on.launches()).toBe(0);
  on.simulator.control.faults.next("launch", { kind: "errorBefore", status: 500 });
  await on.clock.advance(50 * MINUTE);
  expect(sizes(on)).toEqual([8, 8]);
  on.simulator.control.interrupt(on.alive()[0]?.id ?? "");
  await on.clock.advance(50 * MINUTE);
  expect(sizes(on)).toEqual([8]);
  await on.clock.advance(20 * MINUTE);
  expect(sizes(on)).toEqual([8, 8]);
});

test("another agent waits no longer than the rest", async () => {
  const on = await onStage({ offers: [DEAR] });
  await on.declare({ training: PATIENT });
  on.start();
  await on.clock.advance(30 * MINUTE);
  const since = (await draftOf(on)).fleets.get("training")?.lacking;
  expect(since).toBeDefined();
  await on.stop();
  await on.clock.advance(10 * MINUTE);
  const { stop } = nextAgent(on);
  await on.clock.advance(19 * MINUTE);
  expect((await draftOf(on)).fleets.get("training")?.lacking).toEqual(since);
  expect(on.launches()).toBe(0);
  await on.clock.advance(2 * MINUTE);
  expect(on.launches()).toBe(2);
  await stop();
});

test("a pause forgets the wait", async () => {
  const on = await onStage({ offers: [DEAR] });
  await on.declare({ training: PATIENT });
  on.start();
  await on.clock.advance(30 * MINUTE);
  const context = contextOf(on.keeper);
  await on.keeper.ledger.decide(on.keeper.account, (draft) => pauseFleet(draft, "training", context));
  await on.clock.advance(5 * MINUTE);
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    resumeFleet(draft, "training", contextOf(on.keeper));
  });
  await on.clock.advance(50 * MINUTE);
  expect(on.launches()).toBe(0);
  await on.clock.advance(15 * MINUTE);
  expect(on.launches()).toBe(2);
});

/** What costs half as much again as half of its GPUs only after half an hour. */
const USUAL = {
  gpus: 24,
  select: { gpuModel: "H100", patience: { for: "30m", above: "50%" } },
} satisfies WishInput;

/** Three machines at 15.00, which then are sold out, and so many of them lost. */
async function withLost(
  lost: number,
  dear: CatalogueOffer,
  select: WishInput["select"] = {},
): Promise<Stage> {
  const on = await onStage({ offers: [CHEAP, dear] });
  await on.declare({ training: { ...USUAL, select: { ...USUAL.select, ...select } } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(places(on)).toEqual(["north/oslo", "north/oslo", "north/oslo"]);
  on.simulator.control.setCapacity(CHEAP, 0);
  for (const { id } of on.alive().slice(0, lost)) on.simulator.control.interrupt(id);
  await on.clock.advance(25 * MINUTE);
  return on;
}

test("what is much dearer than usual is left for so long, also where all machines are lost at once", async () => {
  for (const lost of [1, 3]) {
    const on = await withLost(lost, DEAREST);
    expect(on.alive()).toHaveLength(3 - lost);
    expect(reasonsOf(on)).toMatch(
      /^what could be had costs more than 2\.8125 USD a GPU and hour, much more than is usual: it is left for \d+ s more, and then taken \(select\.patience\)/,
    );
    await on.clock.advance(15 * MINUTE);
    expect(on.alive()).toHaveLength(3);
    expect(on.errors).toEqual([]);
    await on.stop();
  }
});

test("what is a little dearer than usual is taken at once, and so is all that a fleet begins with", async () => {
  const on = await withLost(1, DEAR);
  expect(places(on)).toEqual(["north/oslo", "north/oslo", "south/rome"]);
  await on.stop();
  const begins = await onStage({ offers: [DEAREST] });
  await begins.declare({ training: USUAL });
  begins.start();
  await begins.clock.advance(5 * MINUTE);
  expect(begins.alive()).toHaveLength(3);
});

test("a ceiling of its own holds after the wait, too", async () => {
  const on = await withLost(1, DEAREST, { maxPricePerGpuHour: "2.90" });
  expect(reasonsOf(on)).not.toContain("patience");
  await on.clock.advance(30 * MINUTE);
  expect(on.alive()).toHaveLength(2);
});

const HOLE = {
  gpus: 10,
  select: { gpuModel: "H100" },
  otherSizes: { after: "20m" },
} satisfies WishInput;

/** Eight GPUs and two; then the two are lost, and no others of their size can be had. */
async function withHole(wish: WishInput): Promise<Stage> {
  const on = await onStage({ offers: [CHEAP, ONE] });
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(sizes(on).toSorted()).toEqual([1, 1, 8]);
  on.simulator.control.setCapacity(ONE, 0);
  for (const { id, gpus } of on.alive()) if (gpus === 1) on.simulator.control.interrupt(id);
  await on.clock.advance(15 * MINUTE);
  return on;
}

test("a hole that only another size fills uses overshoot after so long, and not before", async () => {
  const on = await withHole({ ...HOLE, overshoot: 6 });
  expect(sizes(on)).toEqual([8]);
  expect(reasonsOf(on)).toMatch(
    /^no machines can be had that make the 2 missing GPUs exactly: those of other sizes are left for \d+ s more, and then taken \(otherSizes\)/,
  );
  await on.clock.advance(15 * MINUTE);
  expect(sizes(on)).toEqual([8, 8]);
});

test("the right size is taken at once where it can be had", async () => {
  const on = await withHole({ ...HOLE, overshoot: 6 });
  on.simulator.control.setCapacity(ONE, 2);
  await on.clock.advance(5 * MINUTE);
  expect(sizes(on)).toEqual([8, 1, 1]);
});

const FOUR: CatalogueOffer = { ...H100, offer: "h100-4", gpus: 4, pricePerHour: "8.0000" };

/** Four GPUs in one machine and four alone, of which two are lost; then only machines of four can be had. */
async function withSmallOnes(wish: Partial<WishInput> = {}): Promise<Stage> {
  const on = await onStage({ offers: [{ ...FOUR, capacity: 1 }, ONE] });
  await on.declare({ training: { ...HOLE, gpus: 8, surge: 2, ...wish } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(sizes(on).toSorted()).toEqual([1, 1, 1, 1, 4]);
  on.simulator.control.setCapacity(ONE, 0);
  on.simulator.control.setCapacity(FOUR, 4);
  const [one, other] = on.alive().filter(({ gpus }) => gpus === 1);
  for (const { id = "" } of [one ?? {}, other ?? {}]) on.simulator.control.interrupt(id);
  return on;
}

/** A person holds it for longer than the test lasts. */
async function holdMachine(on: Stage, id = ""): Promise<void> {
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const row = draft.deployments.ever(id);
    if (row) draft.putDeployment({ ...row, hold: { until: on.clock.now() + 100 * HOUR_MS, why: "a demo" } });
  });
}

test("small machines make room for a large one, which runs before they go", async () => {
  const on = await withSmallOnes();
  const lost = await watch(on, 20);
  expect([lost, sizes(on)]).toEqual([{ most: 8, fewest: 6 }, [4, 1, 1]]);
  const seen = await watch(on, 20);
  expect(seen).toEqual({ most: 10, fewest: 6 });
  expect(sizes(on)).toEqual([4, 4]);
  expect(on.errors).toEqual([]);
});

test("the service's prices are read where candidates say none", async () => {
  const on = await withSmallOnes({ select: undefined, candidates: [candidate(FOUR), candidate(ONE)] });
  await on.clock.advance(40 * MINUTE);
  expect(sizes(on)).toEqual([4, 4]);
});

test("what works stays until the larger machine in its place runs, with overshoot and where a move is given up", async () => {
  const more = await withSmallOnes({ overshoot: 2, surge: 0 });
  const seen = await watch(more, 40);
  expect([seen.fewest, sizes(more)]).toEqual([6, [4, 4]]);
  const moving = await withSmallOnes();
  while (!(await draftOf(moving)).fleets.get("training")?.improving) await moving.clock.advance(10 * SECOND);
  const small = moving.alive().find(({ gpus }) => gpus === 1);
  await holdMachine(moving, small?.id);
  expect((await watch(moving, 20)).fewest).toBe(6);
});

test("nothing moves where surge has no room for it, or a budget does not pay for both", async () => {
  for (const wish of [{ surge: 1 }, { budget: { perHour: "19" } }] satisfies Partial<WishInput>[]) {
    const on = await withSmallOnes(wish);
    await on.clock.advance(90 * MINUTE);
    expect(sizes(on)).toEqual([4, 1, 1]);
    await on.stop();
  }
});

test("a large machine that fails leaves the small ones, and is tried once an hour", async () => {
  const on = await withSmallOnes();
  const before = on.launches();
  on.simulator.control.failNext(FOUR, {}, { times: 99 });
  await on.clock.advance(140 * MINUTE);
  expect(
    on
      .alive()
      .filter(({ state }) => state === "running")
      .map(({ gpus }) => gpus),
  ).toEqual([4, 1, 1]);
  expect(on.launches() - before).toBeGreaterThan(1);
  expect(on.launches() - before).toBeLessThan(4);
});

test("a machine that a person holds stays", async () => {
  const on = await withSmallOnes();
  await on.clock.advance(10 * MINUTE);
  const [held] = on.alive().filter(({ gpus }) => gpus === 1);
  await holdMachine(on, held?.id);
  await on.clock.advance(60 * MINUTE);
  expect(sizes(on)).toEqual([4, 1, 1]);
});
