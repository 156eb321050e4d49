import { expect, test } from "vitest";
import { H100_SINGLE, H100_SOUTH } from "../support/stage.ts";
import { candidate, MINUTE, onStage, SECOND } from "./on-stage.ts";

const HERE = { ...candidate(H100_SINGLE), pricePerHour: "2.5000" };
const FOUR = { gpus: 4, candidates: [HERE], budget: { perHour: "20" } };

test.each([
  ["a lower budget", { ...FOUR, budget: { perHour: "3" } }],
  ["another candidate", { ...FOUR, gpus: 16, candidates: [candidate(H100_SOUTH)] }],
])("nothing is launched by an older wish once one with %s stands in the ledger", async (_what, changed) => {
  const on = await onStage({ alter: (profile) => `${profile}\nlimits:\n  requestsPerSecond: 0.5\n` });
  await on.declare({ web: { ...FOUR, gpus: 1 } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.declare({ web: FOUR });
  while (on.launches() === 1) await on.clock.advance(SECOND / 4);
  // One is on its way, and two wait for their turn.
  await on.declare({ web: changed });
  await on.clock.advance(5 * MINUTE);
  const here = on.simulator.truth().launches.filter(({ combination }) => combination?.offer === HERE.offer);
  expect(here).toHaveLength(2);
});
