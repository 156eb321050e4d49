import { expect, test } from "vitest";
import { H100, H100_SINGLE, H100_SOUTH } from "../support/stage.ts";
import { candidate, MINUTE, onStage } from "./on-stage.ts";

const candidates = [candidate(H100), candidate(H100_SOUTH)];

/** Most GPUs that were alive at any time, those that were stopping among them. */
function peak(on: Awaited<ReturnType<typeof onStage>>): number {
  const { machines } = on.simulator.truth();
  const times = machines.map(({ committedAt }) => committedAt);
  return Math.max(
    ...times.map((at) =>
      machines
        .filter((each) => each.committedAt <= at && (each.endedAt === null || each.endedAt > at))
        .reduce((sum, { gpus }) => sum + gpus, 0),
    ),
  );
}

test("never more than asked for while machines that stop are still paid for", async () => {
  const on = await onStage({ settings: { stoppingSeconds: [180, 240] } });
  await on.declare({ training: { gpus: 16, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.declare({ training: { gpus: 8, candidates } });
  await on.clock.advance(MINUTE);
  await on.declare({ training: { gpus: 16, candidates } });
  await on.clock.advance(30 * MINUTE);
  expect(on.alive().map(({ state }) => state)).toEqual(["running", "running"]);
  expect(peak(on)).toBe(16);
  expect(on.launches()).toBe(3);
});

test("never more than asked for through losses, failures, lost answers and late ones", async () => {
  const on = await onStage({ seed: 5, settings: { failureRate: 0.3, interruptionsPerDay: 60 } });
  on.simulator.control.faults.chance("launch", [
    { fault: { kind: "dropAfter" }, probability: 0.15 },
    { fault: { kind: "dropBefore" }, probability: 0.1 },
    { fault: { kind: "errorBefore", status: 500 }, probability: 0.1 },
  ]);
  await on.declare({ training: { gpus: 32, candidates } });
  on.start();
  await on.clock.advance(90 * MINUTE);
  expect(on.launches()).toBeGreaterThan(12);
  expect(peak(on)).toBeLessThanOrEqual(32);
});

test("the overshoot is used where machines do not add up, and what is above it goes", async () => {
  const on = await onStage();
  await on.declare({ training: { gpus: 12, overshoot: 4, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().map(({ gpus }) => gpus)).toEqual([8, 8]);
  await on.declare({
    training: { gpus: 8, overshoot: 7, candidates: [...candidates, candidate(H100_SINGLE)] },
  });
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().map(({ gpus }) => gpus)).toEqual([8]);
});
