import { expect, onTestFinished, test } from "vitest";
import { type Measured, storeMeasured } from "../../agent/fleet/size/metric.ts";
import { statusSchema } from "../../agent/json/status.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

test("status, page and metrics say what a metric said last, how long ago, and that it is not known", async () => {
  const on = await scene();
  onTestFinished(() => on.close());
  const metric = { command: ["./queue.sh"] as [string], target: 4, min: 0, max: 64, at: 8 };
  await on.declare({
    training: { gpus: 8, candidates: [NORTH], metric },
    plain: { gpus: 0, candidates: [NORTH] },
  });
  on.start();
  await on.clock.advance(MINUTE);
  const said = (measured: Measured) =>
    on.keeper.ledger.decide(on.keeper.account, (draft) => {
      const context = contextOf(on.keeper);
      storeMeasured(draft, "training", measured, context.now, context);
    });
  await said({ kind: "value", value: "90" });
  const at = on.clock.now();
  await on.clock.advance(2 * MINUTE);
  await said({ kind: "unknown", why: "answered HTTP 503" });
  await on.clock.advance(MINUTE);
  const status = statusSchema.parse(JSON.parse(await on.text("/api/status")));
  expect(status.accounts[0]?.fleets.map((fleet) => [fleet.name, fleet.metric])).toEqual([
    ["plain", null],
    [
      "training",
      { value: "90", at, gpus: 23, unknown: { since: at + 2 * MINUTE, why: "answered HTTP 503" } },
    ],
  ]);
  expect((await on.text("/metrics")).match(/^fleetkeeper_fleet_metric\S* \S+$/gm)).toEqual([
    'fleetkeeper_fleet_metric_value{fleet="training"} 90',
    'fleetkeeper_fleet_metric_age_seconds{fleet="training"} 180',
    'fleetkeeper_fleet_metric_unknown{fleet="training"} 1',
  ]);
  const page = await on.text("/");
  expect(page).toContain("Its metric says 90, read 3 min ago.");
  expect(page).toContain("the metric is not known since");
});
