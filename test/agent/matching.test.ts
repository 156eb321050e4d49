import { expect, test } from "vitest";
import { accountStatus } from "../../agent/status/account-status.ts";
import { contextOf } from "../../launch/keeper.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { H100, H100_SINGLE, type Stage } from "../support/stage.ts";
import { candidate, onStage, SECOND } from "./on-stage.ts";

/** Two machines were there before the agent, which has looked once. The first one fits the fleet. */
async function foundByAgent(): Promise<Stage> {
  const on = await onStage();
  on.simulator.control.launchByHand(H100);
  on.simulator.control.launchByHand(H100_SINGLE);
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const { watched: _, ...known } = draft.account;
    draft.putAccount({ ...known, list: null });
  });
  on.start();
  await on.clock.advance(20 * SECOND);
  return on;
}

const seen = async ({ keeper }: Stage) => accountStatus(keeper.ledger, keeper.account, contextOf(keeper));

test("what a fleet may take in a minute waits for its second look", async () => {
  const status = await seen(await foundByAgent());
  expect(status.unaccounted).toHaveLength(2);
  expect(status.matching).toEqual(["training"]);
});

test("nobody looks again where no agent lives: a person judges", async () => {
  const on = await foundByAgent();
  const context = { ...contextOf(on.keeper), isAlive: () => false };
  const status = await accountStatus(on.keeper.ledger, on.keeper.account, context);
  expect(status.unaccounted).toHaveLength(2);
  expect(status.matching).toEqual([]);
});

test("no fleet takes a machine that is disputed: a person judges", async () => {
  const on = await foundByAgent();
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()];
    if (row) deploymentAsFound(draft, { ...row, claim: "disputed", owner: "fleet:training" });
  });
  const status = await seen(on);
  expect(status.unaccounted).toHaveLength(2);
  expect(status.matching).toEqual([]);
});
