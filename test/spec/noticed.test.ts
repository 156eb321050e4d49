import { afterEach, expect, test } from "vitest";
import { H100_SINGLE, H100_SOUTH, type Stage, stage } from "../support/stage.ts";

const MINUTE = 60_000;
let on: Stage | undefined;
afterEach(async () => on?.stop());

test("an interruption, which nobody is told of, is noticed at the next poll after the health check", async () => {
  on = await stage();
  const candidates = [
    { ...pick(H100_SINGLE), gpus: 8 },
    { ...pick(H100_SOUTH), gpus: 8 },
  ];
  await on.declare({ web: { gpus: 8, candidates } });
  // Polls and health checks must not meet by chance.
  await on.clock.advance(20_000);
  on.start();
  await on.clock.advance(6 * MINUTE);
  on.simulator.control.interrupt(on.alive()[0]?.id ?? "");
  await on.clock.advance(6 * MINUTE);
  const { machines } = on.simulator.truth();
  const [lost, next] = machines;
  expect(machines).toHaveLength(2);
  expect(lost?.states.at(-1)?.state).toBe("interrupted");
  expect((next?.committedAt ?? 0) - (lost?.endedAt ?? 0)).toBeLessThanOrEqual(15_000);
  expect(next?.committedAt).toBeGreaterThanOrEqual(lost?.endedAt ?? 0);
});

function pick({ offer, provider, location }: typeof H100_SOUTH) {
  return { offer, provider, location };
}
