import { expect, test } from "vitest";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { preview } from "../../agent/reconcile/preview.ts";
import { openSqliteLedger } from "../../ledger/index.ts";
import { H100, keeperOn, type Stage } from "../support/stage.ts";
import { candidate, MINUTE, nextAgent, onStage } from "./on-stage.ts";

/* What a plan says of machines that run already, and what an agent makes of it, by the simulator. */

const asked = (gpus: number) => ({ gpus, candidates: [candidate(H100)] });

async function planOf({ keeper, clock }: Stage) {
  const { plans } = await clock.run(preview(keeper, undefined, AbortSignal.timeout(10_000)));
  return plans.map(({ takes, launches, costs }) => ({
    takes,
    launches: launches.length,
    gpus: costs.gpus,
  }))[0];
}

test("a new ledger's plan names what is taken, says which other ledger launched it, and launches the rest", async () => {
  const on = await onStage();
  const ledger = openSqliteLedger({ path: ":memory:", newId: "otherledger0", now: on.clock.now() });
  const other = await keeperOn(on.simulator, on.clock, "plain", "exclusive", ledger);
  const source = "file:theirs.yaml";
  await declareFleets(other, source, () => [{ name: "theirs", source, wish: wishSchema.parse(asked(8)) }]);
  const agent = nextAgent(on, other);
  await on.clock.advance(10 * MINUTE);
  await on.clock.run(agent.stop());
  const [theirs] = on.alive();
  const byHand = on.simulator.control.launchByHand(candidate(H100));
  await on.declare({ training: asked(24) });
  const machine = { gpus: 8, pricePerHour: "16.0000" };
  expect(await planOf(on)).toEqual({
    takes: [
      { ...machine, id: theirs?.id, status: "running", otherLedger: "otherledger0" },
      { ...machine, id: byHand, status: "initializing", otherLedger: null },
    ],
    ...{ launches: 1, gpus: 24 },
  });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.launches()).toBe(2);
  expect(on.alive()).toHaveLength(3);
  expect((await planOf(on))?.takes).toEqual([]);
});

test("the plan of a fleet that is enlarged counts what runs by then, and so does its agent", async () => {
  const on = await onStage();
  await on.declare({ training: asked(8) });
  const first = nextAgent(on);
  await on.clock.advance(10 * MINUTE);
  await on.clock.run(first.stop());
  const id = on.simulator.control.launchByHand(candidate(H100));
  await on.declare({ training: asked(16) });
  expect(await planOf(on)).toMatchObject({ takes: [{ id }], launches: 0, gpus: 16 });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.launches()).toBe(1);
  expect(on.alive()).toHaveLength(2);
});
