import { expect, test } from "vitest";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { stageOnDisk } from "../support/backup.ts";
import type { Stage } from "../support/stage.ts";
import { H100_SINGLE } from "../support/stage.ts";

const MINUTE = 60_000;
const { offer, provider, location } = H100_SINGLE;
const candidates = [{ offer, provider, location, gpus: 1, pricePerHour: "2.5000" }];

/** As after a disk that died: the ledger of some time ago, which knows nothing of what was launched since. */
test.each([
  ["the fleet has grown", 1],
  ["a machine was lost and replaced", 3],
])("a ledger from a backup rents nothing again where since then %s", async (_what, before) => {
  const { on, backUp } = await stageOnDisk();
  await on.declare({ web: { gpus: before, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const restore = backUp();
  const [oldest] = on.alive();
  if (before === 3 && oldest) on.simulator.control.interrupt(oldest.id, { now: true });
  await on.declare({ web: { gpus: 3, candidates } });
  await on.clock.advance(20 * MINUTE);
  const running = on.alive().map(({ id }) => id);
  expect(running).toHaveLength(3);
  await on.stop();

  await keep(on, await restore(), 3);
  expect(on.alive().map(({ id }) => id)).toEqual(running);
});

test("nor does one whose backup was made while a launch was looked for that a list can tell from the others", async () => {
  const { on, backUp } = await stageOnDisk();
  await on.declare({ web: { gpus: 1, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  on.simulator.control.faults.next("launch", { kind: "dropBefore" });
  await on.declare({ web: { gpus: 2, candidates } });
  await on.clock.advance(MINUTE);
  const restore = backUp();
  await on.declare({ web: { gpus: 4, candidates } });
  await on.clock.advance(20 * MINUTE);
  const running = on.alive().map(({ id }) => id);
  expect(running).toHaveLength(4);
  await on.stop();

  await keep(on, await restore(), 4);
  expect(on.alive().map(({ id }) => id)).toEqual(running);
});

test("nor does one whose first lists lack the machine that it does not know", async () => {
  const { on, backUp } = await stageOnDisk();
  await on.declare({ web: { gpus: 2, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const restore = backUp();
  await on.declare({ web: { gpus: 3, candidates } });
  await on.clock.advance(20 * MINUTE);
  const running = on.alive().map(({ id }) => id);
  await on.stop();

  on.simulator.control.faults.chance("deployments", [
    { fault: { kind: "lag", seconds: 25 * 60 }, probability: 1 },
  ]);
  const keeping = keep(on, await restore(), 3);
  await on.clock.advance(0.5 * MINUTE);
  on.simulator.control.faults.clear();
  await keeping;
  expect(on.alive().map(({ id }) => id)).toEqual(running);
});

/** Another agent keeps the account for half an hour. */
async function keep(on: Stage, keeper: Keeper, gpus: number): Promise<void> {
  const wish = wishSchema.parse({ gpus, candidates });
  await declareFleets(keeper, "file:fleet.yaml", () => [{ name: "web", source: "file:fleet.yaml", wish }]);
  const ending = new AbortController();
  const options = { keeper, host: "test", onTick: () => undefined, onError: () => undefined };
  const loop = runLoop(options, ending.signal);
  await on.clock.advance(30 * MINUTE);
  ending.abort();
  await on.clock.run(loop);
}
