import Big from "big.js";
import type { Context } from "../../launch/context.ts";
import { livingOf } from "../../launch/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetPhase } from "../fleet/fleet-phase.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import { toRenew } from "../fleet/renewal-marks.ts";
import { ALL_INPUTS } from "../planning/fleet-plan.ts";
import { plan } from "../planning/plan.ts";
import { isReady, readyGpus } from "../planning/readiness.ts";
import { shortRow } from "./short-row.ts";

export type FleetReport = ReturnType<typeof fleetReport>;

export function fleetReport(draft: Draft, name: string, context: Context) {
  const fleet = draft.fleets.get(name);
  const planned = plan(draft, ALL_INPUTS, context).find((each) => each.fleet === name);
  const rows = livingOf(draft, fleetOwner(name));
  const prices = rows.map((row) => row.pricePerHour);
  const desired = planned?.desired ?? 0;
  const running = planned?.running ?? 0;
  const ready = fleet && readyGpus(draft, fleet);
  const noFleet: FleetPhase = { kind: "drained", by: "removal", why: "there is no such fleet" };
  return {
    standing: fleet ? fleetPhase(draft, fleet, context) : noFleet,
    desiredGpus: desired,
    runningGpus: running,
    startingGpus: planned?.starting ?? 0,
    deployments: rows.map((row) => ({
      ...shortRow(draft, row),
      /** What the fleet's own check says; null: it has none, or the machine does not run. */
      ready: ready !== undefined && row.status === "running" ? isReady(row) : null,
    })),
    /** GPUs of machines that are ready by the fleet's own check; null: it has none. */
    readyGpus: ready ?? null,
    /** USD an hour of what lives; null if a price is not known. */
    pricePerHour: prices.some((price) => price === null)
      ? null
      : prices.reduce((sum, price) => sum.plus(price ?? 0), new Big(0)).toFixed(4),
    /** What is missing, and why. */
    reasons: fleet?.reasons ?? [],
    /** As many GPUs run as are asked for, and nothing else is under way. */
    met:
      planned !== undefined &&
      running >= desired &&
      planned.starting === 0 &&
      planned.stopping === 0 &&
      planned.stops.length === 0 &&
      toRenew(draft, name).length === 0,
  };
}
