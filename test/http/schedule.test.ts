import { expect, onTestFinished, test } from "vitest";
import { statusSchema } from "../../agent/json/status.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

test("status, page and metrics say what a schedule asks for now and next", async () => {
  const on = await scene();
  onTestFinished(() => on.close());
  const next = Math.ceil(on.clock.now() / MINUTE) * MINUTE + 60 * MINUTE;
  const [from, to] = [next, next + 60 * MINUTE].map((at) => new Date(at).toISOString().slice(11, 16));
  const entries: [{ from: string; to: string; gpus: number }] = [
    { from: from ?? "", to: to ?? "", gpus: 24 },
  ];
  const schedule = { timeZone: "UTC", entries, min: 0, max: 64, at: 8 };
  await on.declare({
    training: { gpus: 8, candidates: [NORTH], schedule },
    plain: { gpus: 0, candidates: [NORTH] },
  });
  on.start();
  await on.clock.advance(5 * MINUTE);
  const status = statusSchema.parse(JSON.parse(await on.text("/api/status")));
  const fleets = status.accounts[0]?.fleets ?? [];
  expect(fleets.map(({ name, schedule }) => [name, schedule])).toEqual([
    ["plain", null],
    ["training", { timeZone: "UTC", gpus: 8, next: { at: next, gpus: 24 } }],
  ]);
  const metrics = await on.text("/metrics");
  expect(metrics.match(/^fleetkeeper_fleet_next_gpus\S* \S+$/gm)).toEqual([
    'fleetkeeper_fleet_next_gpus{fleet="training"} 24',
    `fleetkeeper_fleet_next_gpus_timestamp_seconds{fleet="training"} ${next / 1000}`,
  ]);
  expect(await on.text("/")).toContain("the schedule asks for 8 GPUs now, and for 24 from");
});
