import { expect, test } from "vitest";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { H100 } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf, requestsBetween, rowsOf } from "./on-stage.ts";

/** The profile without one of its parts, which all stand at the left edge. */
function without(part: string): (profile: string) => string {
  return (profile) => profile.replace(new RegExp(`^${part}:\\n(?:(?: .*)?\\n)*`, "m"), "");
}

const wish = { gpus: 16, candidates: [candidate(H100)] };

test("no launch part: the fleet says so once, keeps what runs, and writes nothing", async () => {
  const on = await onStage({ dialect: "nested", alter: without("launch") });
  on.simulator.control.launchByHand(H100);
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(reasonsOf(on)).toContain('the profile has no part "launch"');
  const [before, rows] = [on.simulator.truth(), await rowsOf(on)];
  await on.clock.advance(60 * MINUTE);
  expect(requestsBetween(before, on.simulator.truth())).toEqual({ deployments: 240 });
  expect(await rowsOf(on)).toBe(rows);
  expect((await draftOf(on)).intents.size).toBe(0);
  expect(on.alive()).toHaveLength(1);
});

test("no stop part: the count is kept, and the surplus is named, not asked for again and again", async () => {
  const on = await onStage({ alter: without("stop") });
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.declare({ training: { ...wish, gpus: 8 } });
  await on.clock.advance(5 * MINUTE);
  const [, newest] = on.alive();
  expect(reasonsOf(on)).toContain(`stop ${newest?.id} in the service's dashboard`);
  const rows = await rowsOf(on);
  await on.clock.advance(60 * MINUTE);
  expect(await rowsOf(on)).toBe(rows);
  await on.declare({ training: wish });
  await on.clock.advance(5 * MINUTE);
  expect(on.launches()).toBe(2);
  expect(reasonsOf(on)).toBe("");
  on.simulator.control.stopByHand(newest?.id ?? "");
  await on.clock.advance(10 * MINUTE);
  expect(on.launches()).toBe(3);
});

test("no offers part: a fleet with a selector waits, one with candidates does not", async () => {
  const on = await onStage({ alter: without("offers") });
  await on.declare({ choosing: { gpus: 8, select: {} }, training: wish });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(reasonsOf(on, "choosing")).toContain('the profile has no part "offers"');
  expect(on.alive()).toHaveLength(2);
  expect(on.errors).toEqual([]);
});

test("no list part: the agent ends with what to add", async () => {
  const on = await onStage({ dialect: "nested", alter: without("deployments") });
  const options = { keeper: on.keeper, host: "test", onTick: () => undefined, onError: () => undefined };
  await expect(on.clock.run(runLoop(options, new AbortController().signal))).rejects.toMatchObject({
    code: "PROFILE_PART_MISSING",
    message: expect.stringContaining("deployments"),
  });
});
