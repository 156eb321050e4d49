import type { Context } from "../../launch/facts/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";
import { waitsFirst } from "../fleet/phase/lacking.ts";
import { count } from "./count/count.ts";
import { wishInForce } from "./count/wish-in-force.ts";

/**
 * Stores since when a fleet lacks GPUs, if its wish waits for something first. It is over once all of them run: a launch that
 * fails begins no new wait.
 */
export function storeLacking(draft: Draft, fleet: FleetRow, context: Context): void {
  const { lacking: before, ...rest } = fleet;
  const lacking = isLacking(draft, fleet, context) ? (before ?? context.now) : undefined;
  if (lacking !== before) draft.putFleet(lacking ? { ...rest, lacking } : rest);
}

function isLacking(draft: Draft, fleet: FleetRow, context: Context): boolean {
  const wish = wishInForce(draft, fleet, context);
  if (!waitsFirst(wish) || !fleet.born || fleetPhase(draft, fleet, context).kind !== "kept") return false;
  const { missing, running } = count(draft, fleet, context);
  const isShort = missing > 0 || (fleet.part?.short ?? 0) > 0;
  return isShort || (fleet.lacking !== undefined && running < wish.gpus);
}
