import { describe, expect, test } from "vitest";
import { declareAll } from "../../agent/fleet/declare/declare-all.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage } from "./on-stage.ts";

const wish = { gpus: 16, candidates: [candidate(H100), candidate(H100_SOUTH)] };
const FILE = "file:fleet.yaml";

async function running(): Promise<Stage> {
  const on = await onStage();
  await on.declare({ alpha: wish });
  on.start();
  await on.clock.advance(10 * MINUTE);
  return on;
}

/** A fleet file that names these fleets, each maybe with its previous name. */
async function file(on: Stage, fleets: Record<string, string | undefined>, source = FILE): Promise<void> {
  const declarations = Object.entries(fleets).map(([name, previousName]) => ({
    name,
    previousName,
    source,
    wish: wishSchema.parse(wish),
  }));
  const { keeper } = on;
  await keeper.ledger.decide(keeper.account, (draft) => {
    const isGone = (each: string) => each === "file:moved.yaml";
    declareAll(draft, { source, fleets: declarations, isGone }, contextOn(on));
  });
}

function contextOn({ keeper }: Stage) {
  return {
    ledger: keeper.ledger.id,
    now: keeper.clock.now(),
    isAlive: () => true,
    wire: keeper.service,
    settings: keeper.settings,
  };
}

const ids = (on: Stage): readonly string[] => on.alive().map(({ id }) => id);
const ownersOf = (draft: Draft): readonly (string | null)[] => [
  ...new Set([...draft.deployments.values()].filter(({ end }) => end === null).map(({ owner }) => owner)),
];

describe("a rename by previousName", () => {
  test("keeps the machines, stops none and launches none", async () => {
    const on = await running();
    const before = ids(on);
    await file(on, { beta: "alpha" });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toEqual(before);
    expect(on.launches()).toBe(2);
    expect(ownersOf(await draftOf(on))).toEqual(["fleet:beta"]);
    expect(on.reports.at(-1)?.plans.map(({ fleet }) => fleet)).toEqual(["beta"]);
  });

  test("and back again keeps them, too", async () => {
    const on = await running();
    const before = ids(on);
    await file(on, { beta: "alpha" });
    await on.clock.advance(MINUTE);
    await file(on, { alpha: "beta" });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toEqual(before);
    expect(on.launches()).toBe(2);
  });

  test("that stays in the file does nothing a second time", async () => {
    const on = await running();
    await file(on, { beta: "alpha" });
    await file(on, { beta: "alpha", alpha: undefined });
    await on.clock.advance(10 * MINUTE);
    await file(on, { beta: "alpha", alpha: undefined });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toHaveLength(4);
    expect(on.launches()).toBe(4);
  });

  test("means the same in whatever order the file has it, where the old name is a new fleet's at once", async () => {
    const on = await running();
    const before = ids(on);
    await file(on, { alpha: undefined, beta: "alpha" });
    await on.clock.advance(10 * MINUTE);
    expect(on.launches()).toBe(4);
    expect(ids(on).slice(0, 2)).toEqual(before);
    const { deployments } = await draftOf(on);
    expect(ids(on).map((id) => deployments.ever(id)?.owner)).toEqual([
      "fleet:beta",
      "fleet:beta",
      "fleet:alpha",
      "fleet:alpha",
    ]);
    await file(on, { alpha: undefined, beta: "alpha" });
    await on.clock.advance(10 * MINUTE);
    expect(on.launches()).toBe(4);
  });

  test("of a fleet that never was takes no other's machines, in either order", async () => {
    const on = await onStage();
    await file(on, { alpha: undefined, beta: "alpha" });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toHaveLength(4);
    expect(ownersOf(await draftOf(on))).toHaveLength(2);
  });

  test("that hands a name on from fleet to fleet keeps the machines of both", async () => {
    const on = await running();
    await on.declare({ alpha: wish, beta: wish });
    await on.clock.advance(10 * MINUTE);
    const before = ids(on);
    await file(on, { alpha: "beta", gamma: "alpha" });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toEqual(before);
    const { deployments } = await draftOf(on);
    expect(before.map((id) => deployments.ever(id)?.owner?.slice("fleet:".length))).toEqual([
      "gamma",
      "gamma",
      "alpha",
      "alpha",
    ]);
  });

  test("takes a pause with it: whoever has the old name next is not paused", async () => {
    const on = await running();
    const { keeper } = on;
    await keeper.ledger.decide(keeper.account, (draft) => {
      const row = draft.fleets.get("alpha");
      if (row) draft.putFleet({ ...row, paused: true });
    });
    await file(on, { beta: "alpha" });
    await file(on, { beta: "alpha", alpha: undefined });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toHaveLength(4);
    expect((await draftOf(on)).fleets.get("beta")?.paused).toBe(true);
  });

  test("keeps a launch that is under way", async () => {
    const on = await onStage();
    on.simulator.control.faults.next("launch", { kind: "slow", seconds: 40 });
    await on.declare({ alpha: { ...wish, gpus: 8 } });
    on.start();
    await on.clock.advance(20_000);
    await file(on, { beta: "alpha" });
    await on.clock.advance(10 * MINUTE);
    expect(on.launches()).toBe(2);
    expect(ownersOf(await draftOf(on))).toEqual(["fleet:beta"]);
  });
});

test("a file that loses a fleet drains that one alone, and the last one, too", async () => {
  const on = await running();
  await on.declare({ alpha: wish, beta: wish });
  await on.clock.advance(10 * MINUTE);
  expect(ids(on)).toHaveLength(4);
  await file(on, { beta: undefined });
  await on.clock.advance(10 * MINUTE);
  expect(ids(on)).toHaveLength(2);
  expect(ownersOf(await draftOf(on))).toEqual(["fleet:beta"]);
  await file(on, {});
  await on.clock.advance(10 * MINUTE);
  expect(ids(on)).toEqual([]);
  expect(on.launches()).toBe(4);
  expect(on.reports.at(-1)?.plans).toEqual([]);
});

test("a removed fleet takes what a lost launch of it has made after all", async () => {
  const on = await running();
  on.simulator.control.faults.next("launch", { kind: "dropAfter" });
  on.simulator.control.interrupt(ids(on)[0] ?? "", { now: true });
  await on.clock.advance(15_000);
  await file(on, {});
  await on.clock.advance(20 * MINUTE);
  expect(ids(on)).toEqual([]);
});

test("another file does not take the name of a fleet that lives, and may when it is over", async () => {
  const on = await running();
  await expect(file(on, { alpha: undefined }, "file:other.yaml")).rejects.toThrow(
    "file:fleet.yaml has declared this name",
  );
  await file(on, {});
  await expect(file(on, { alpha: undefined }, "file:other.yaml")).rejects.toThrow("declared this name");
  await on.clock.advance(10 * MINUTE);
  await file(on, { alpha: undefined }, "file:other.yaml");
  await on.clock.advance(10 * MINUTE);
  expect(ids(on)).toHaveLength(2);
});

test("a file that was moved keeps its fleets", async () => {
  const on = await onStage();
  await file(on, { alpha: undefined }, "file:moved.yaml");
  on.start();
  await on.clock.advance(10 * MINUTE);
  const before = ids(on);
  await file(on, { alpha: undefined });
  await on.clock.advance(10 * MINUTE);
  expect(ids(on)).toEqual(before);
  expect((await draftOf(on)).fleets.get("alpha")?.source).toBe(FILE);
  await file(on, {});
  await on.clock.advance(10 * MINUTE);
  expect(ids(on)).toEqual([]);
});
