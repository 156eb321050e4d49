import { expect, test } from "vitest";
import type { FleetReport } from "../../agent/json/status.ts";
import { fleetReport } from "../../agent/status/fleet-report.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import type { LaunchBench } from "../launch/bench.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { EIGHT, fleetBench, OSLO, planOn, wishFor } from "./on-bench.ts";

const WISH = { gpus: 16, candidates: [EIGHT] };

/** A fleet with machines of 8 GPUs that run. */
function withMachines(count: number, row: Partial<FleetRow> = {}): LaunchBench {
  const on = fleetBench(WISH, {}, row);
  for (let number = 1; number <= count; number++)
    on.machine(`m${number}`, { ...OSLO, gpus: 8 }, { ...OSLO, gpus: 8, status: "running" });
  return on;
}

const report = (on: LaunchBench): FleetReport => fleetReport(on.draft, "web", on.context);

test("a fleet is met when its count runs, and nothing starts or stops", () => {
  expect(report(withMachines(2))).toMatchObject({ desiredGpus: 16, runningGpus: 16, met: true });
  expect(report(withMachines(1))).toMatchObject({ runningGpus: 8, startingGpus: 0, met: false });
  const on = withMachines(2);
  on.show("m1", { status: "provisioning" });
  on.list();
  expect(report(on)).toMatchObject({ runningGpus: 8, startingGpus: 8, met: false });
});

test("one with a surplus is met where no tick will stop it", () => {
  const on = withMachines(3);
  expect(planOn(on).stops).toHaveLength(1);
  expect(report(on).met).toBe(false);
  expect(report(withMachines(3, { paused: true })).met).toBe(true);
  expect(report(withMachines(3, { born: false })).met).toBe(true);
  wishFor(on, { ...WISH, gpus: 20 }, { born: true });
  expect(planOn(on).stops).toEqual([]);
  expect(report(on).met).toBe(true);
});

test("one that is drained is met when all that it may stop has ended", () => {
  const drained = { drained: { by: "operator", since: 0, limit: null } } as const;
  expect(report(withMachines(1, drained))).toMatchObject({ desiredGpus: 0, runningGpus: 8, met: false });
  expect(report(withMachines(0, drained)).met).toBe(true);
  const on = withMachines(1, drained);
  on.decide((draft) => deploymentAsFound(draft, { ...on.row("m1"), claim: "inferred" }));
  expect(report(on).met).toBe(true);
});
