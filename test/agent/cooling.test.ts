import { expect, test } from "vitest";
import { H100, H100_SINGLE, H100_SOUTH } from "../support/stage.ts";
import { candidate, launchTimes, MINUTE, onStage, reasonsOf, SECOND } from "./on-stage.ts";

test("where all cool, the launch leaves exactly when the first one clears", async () => {
  const on = await onStage();
  on.simulator.control.cooldown(H100, 100);
  on.simulator.control.cooldown(H100_SOUTH, 77);
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100), candidate(H100_SOUTH)] } });
  const begun = on.clock.now();
  on.start();
  await on.clock.advance(30 * SECOND);
  // Both were asked once, and said how long; the fleet was born at the second list.
  expect(launchTimes(on, begun)).toEqual([15, 15]);
  expect(reasonsOf(on)).toContain("h100-8 @ south/rome cools for 47 s more");
  await on.clock.advance(30 * SECOND);
  expect(launchTimes(on, begun)).toEqual([15, 15]);
  await on.clock.advance(10 * MINUTE);
  expect(launchTimes(on, begun)).toEqual([15, 15, 77]);
  expect(on.alive().map(({ place }) => place)).toEqual(["south/rome"]);
});

test("a combination that cools again and again is probed by one launch each time", async () => {
  const on = await onStage();
  on.simulator.control.setCapacity(H100, 0);
  await on.declare({ training: { gpus: 80, candidates: [candidate(H100)] } });
  const begun = on.clock.now();
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(launchTimes(on, begun)).toEqual([15, 75, 135, 195, 255, 315, 375, 435, 495, 555]);
});

test("after a cooldown one launch goes first, though the pace has grown elsewhere", async () => {
  const on = await onStage({ latencyMs: 500 });
  on.simulator.control.cooldown(H100, 60);
  const candidates = [
    { ...candidate(H100), pricePerHour: "16" },
    { ...candidate(H100_SOUTH), pricePerHour: "18" },
  ];
  await on.declare({ training: { gpus: 80, candidates } });
  on.start();
  await on.clock.advance(2 * MINUTE);
  expect(on.alive()).toHaveLength(10);
  on.simulator.control.setCapacity(H100, 0);
  on.simulator.control.loseMachinesIn({ provider: "south" }, { now: true });
  const before = on.launches();
  await on.clock.advance(20 * SECOND);
  const into = on.simulator
    .truth()
    .launches.slice(before)
    .filter(({ combination }) => combination?.provider === "north");
  expect(into).toHaveLength(1);
});

test("another fleet does not ask for what this one was told cools", async () => {
  const on = await onStage();
  on.simulator.control.setCapacity(H100, 0);
  const candidates = [candidate(H100)];
  await on.declare({ training: { gpus: 8, candidates } });
  on.start();
  await on.clock.advance(20 * SECOND);
  expect(on.launches()).toBe(1);
  await on.declare({ training: { gpus: 8, candidates }, other: { gpus: 8, candidates } });
  await on.clock.advance(50 * SECOND);
  expect(on.launches()).toBe(1);
});

test("after a cooldown one launch goes first for all fleets, and the others follow when it was granted", async () => {
  const on = await onStage({ latencyMs: 500 });
  const wish = { gpus: 8, candidates: [candidate(H100)] };
  // From its first machine on, lists tell the fleets' launches apart: nothing else keeps them from going out together.
  await on.declare({ first: wish });
  on.start();
  await on.clock.advance(MINUTE);
  on.simulator.control.setCapacity(H100, 1);
  await on.declare({ first: wish, alpha: wish, beta: wish, gamma: wish });
  await on.clock.advance(50 * SECOND);
  const before = on.launches();
  await on.clock.advance(MINUTE);
  expect(on.launches()).toBe(before + 1);
  on.simulator.control.setCapacity(H100, 4);
  await on.clock.advance(2 * MINUTE);
  expect(on.alive()).toHaveLength(4);
});

test("a combination that is sold out keeps nothing else of the mix from being launched", async () => {
  const on = await onStage();
  on.simulator.control.setCapacity(H100_SINGLE, 0);
  await on.declare({ training: { gpus: 17, candidates: [candidate(H100), candidate(H100_SINGLE)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().map(({ gpus }) => gpus)).toEqual([8, 8]);
  on.simulator.control.setCapacity(H100_SINGLE, 1);
  await on.clock.advance(2 * MINUTE);
  expect(on.alive().map(({ gpus }) => gpus)).toEqual([8, 8, 1]);
});
