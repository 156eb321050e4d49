import { expect, test } from "vitest";
import { contextOf } from "../../launch/keeper.ts";
import { disown } from "../../launch/people/operator.ts";
import { H100_SINGLE } from "../support/stage.ts";
import { candidate, MINUTE, onStage, SECOND } from "./on-stage.ts";

test("a machine that is disowned while its stop waits for its turn is not stopped", async () => {
  const on = await onStage({ alter: (profile) => `${profile}\nlimits:\n  requestsPerSecond: 0.25\n` });
  await on.declare({ web: { gpus: 4, candidates: [candidate(H100_SINGLE)] } });
  on.start();
  await on.clock.advance(20 * MINUTE);
  await on.declare({});
  while (on.simulator.truth().requests.stop === 0) await on.clock.advance(SECOND);
  const left = on.alive().filter(({ state }) => state === "running");
  expect(left).toHaveLength(3);
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    for (const { id } of left) disown(draft, id, contextOf(on.keeper));
  });
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toEqual(left);
});
