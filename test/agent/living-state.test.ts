import { expect, test } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, onStage, SECOND } from "./on-stage.ts";

/*
 * The service says "queued" for a while after a launch, and neither the specification nor this profile names that state.
 * Judged by the simulator's truth: how many machines live at once, whatever the ledger believes.
 */

const fleet = (machines: number): Readonly<Record<string, WishInput>> => ({
  web: { gpus: 8 * machines, candidates: [candidate(H100)] },
});

/** One machine runs, and a second one is queued. */
async function oneQueued(): Promise<Stage> {
  const on = await onStage({
    dialect: "nested",
    settings: { initializingSeconds: [90, 90], stoppingSeconds: [200, 200] },
    alter: (profile) => profile.replace("      queued: initializing\n", ""),
  });
  await on.declare(fleet(1));
  on.start();
  await on.clock.advance(400 * SECOND);
  await on.declare(fleet(2));
  await on.clock.advance(30 * SECOND);
  expect(on.alive().map(({ state }) => state)).toEqual(["running", "initializing"]);
  return on;
}

/** The most machines that live at once in this while. */
async function most(on: Stage, seconds: number): Promise<number> {
  let most = 0;
  for (let at = 0; at < seconds; at += 5) {
    await on.clock.advance(5 * SECOND);
    most = Math.max(most, on.alive().length);
  }
  return most;
}

test.each([0, 45])(
  "two machines are asked for again after one was stopped (lists late by %i s)",
  async (seconds) => {
    const on = await oneQueued();
    await on.declare(fleet(1));
    for (const target of ["deployments", "deployment"] as const)
      if (seconds > 0) on.simulator.control.faults.next(target, { kind: "lag", seconds }, { times: 3 });
    await on.clock.advance(300 * SECOND);
    expect(on.alive()).toHaveLength(1);

    await on.declare(fleet(2));
    expect(await most(on, 600)).toBe(2);
    expect(on.alive()).toHaveLength(2);
  },
);

test("a machine that old lists show as queued after its stop is not replaced while it stops", async () => {
  const on = await oneQueued();
  await on.declare(fleet(1));
  for (const target of ["deployments", "deployment"] as const)
    on.simulator.control.faults.next(target, { kind: "lag", seconds: 60 }, { times: 6 });
  await on.clock.advance(75 * SECOND);
  await on.declare(fleet(2));
  expect(await most(on, 600)).toBe(2);
});
