import Big from "big.js";
import type { Context } from "../../launch/facts/context.ts";
import { livingOf } from "../../launch/facts/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";
import { toRenew } from "../fleet/phase/renewal-marks.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import type { FleetPhase, FleetReport } from "../json/status.ts";
import { type Count, count } from "../planning/count/count.ts";
import { wishInForce } from "../planning/count/wish-in-force.ts";
import { idleGpus, idleMs } from "../planning/machines/idle.ts";
import { olderFacts, olderOf } from "../planning/machines/older-wish.ts";
import { isReady, readyGpus } from "../planning/machines/readiness.ts";
import { mayBeStopped, surplus } from "../planning/machines/scale-down.ts";
import { holdFacts, reasonsOf } from "../planning/told/fleet-plan.ts";
import { shortRow } from "./short-row.ts";

/** How one fleet stands: what its rows say, and the reasons that the last tick stored. Nothing is planned for it. */
export function fleetReport(draft: Draft, name: string, context: Context): FleetReport {
  const fleet = draft.fleets.get(name);
  const counted = fleet && count(draft, fleet, context);
  const rows = livingOf(draft, fleetOwner(name));
  const prices = rows.map((row) => row.pricePerHour);
  const ready = fleet && readyGpus(draft, fleet, context);
  const wish = fleet && wishInForce(draft, fleet, context);
  const noFleet: FleetPhase = { kind: "drained", by: "removal", why: "there is no such fleet" };
  return {
    standing: fleet ? fleetPhase(draft, fleet, context) : noFleet,
    desiredGpus: wish?.gpus ?? 0,
    runningGpus: counted?.running ?? 0,
    startingGpus: counted?.starting ?? 0,
    deployments: rows.map((row) => ({
      ...shortRow(draft, row),
      ready: wish && ready !== undefined && row.status === "running" ? isReady(row, wish) : null,
      idleSince: idleMs(draft, row, context) === undefined ? null : (row.idle?.since?.wall ?? null),
    })),
    readyGpus: ready ?? null,
    idleGpus: (fleet && idleGpus(draft, fleet, context)) ?? null,
    givenBackIdle: fleet?.idled ? { gpus: fleet.idled.gpus, pricePerHour: fleet.idled.price } : null,
    olderWish: fleet ? olderFacts(draft, fleet, context) : [],
    updateHeld: fleet?.updateHeld ?? null,
    pricePerHour: prices.some((price) => price === null)
      ? null
      : prices.reduce((sum, price) => sum.plus(price ?? 0), new Big(0)).toFixed(4),
    holds: (fleet?.holds ?? []).map(holdFacts),
    reasons: fleet ? reasonsOf(fleet.holds ?? [], fleet.reasons, context.now) : [],
    met: fleet !== undefined && counted !== undefined && isMet(draft, fleet, counted, context),
  };
}

function isMet(draft: Draft, fleet: FleetRow, counted: Count, context: Context): boolean {
  const { starting, stopping, missing } = counted;
  if (missing > 0 || starting > 0 || stopping > 0 || toRenew(draft, fleet.name).length > 0) return false;
  if (isUpdating(draft, fleet, context)) return false;
  return !hasToStop(draft, fleet, counted, context);
}

/** True if machines are being replaced, or will be: their age alone is nothing that anybody waits for. */
function isUpdating(draft: Draft, fleet: FleetRow, context: Context): boolean {
  if (fleet.updating) return true;
  if (fleet.updateHeld || fleetPhase(draft, fleet, context).kind !== "kept") return false;
  return parseWish(fleet.wish).update !== undefined && olderOf(draft, fleet, context).length > 0;
}

/** True if a machine of it is to be stopped that was not asked to yet. */
function hasToStop(draft: Draft, fleet: FleetRow, counted: Count, context: Context): boolean {
  const { kind } = fleetPhase(draft, fleet, context);
  if (kind === "drained") return counted.machines.some((row) => mayBeStopped(row, context.now));
  const { machines, there, uncounted } = counted;
  const wish = wishInForce(draft, fleet, context);
  if (kind === "paused" || !fleet.born || uncounted.length > 0 || there <= wish.gpus) return false;
  return surplus(draft, machines, wish.gpus, context).length > 0;
}
