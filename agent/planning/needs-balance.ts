import type { Context } from "../../launch/facts/context.ts";
import { wantsBalance, wantsBaseline } from "../../launch/money/price-balance.ts";
import { budgetsOver } from "../../launch/money/shared-budget.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";
import { isLimited } from "../fleet/wish/wish.ts";
import { bufferRoom, count } from "./count/count.ts";
import { mayMove } from "./count/improving.ts";
import { wishInForce } from "./count/wish-in-force.ts";
import { mayUpdate } from "./machines/updating.ts";

export function hasFloor(draft: Draft, fleet: FleetRow, context: Context): boolean {
  return !fleet.removed && wishInForce(draft, fleet, context).budget.floor !== undefined;
}

/** True if a fleet that lacks machines has a floor, or if the balance may prove a launch's price. */
export function needsBalance(draft: Draft, context: Context): boolean {
  const fleets = [...draft.fleets.values()];
  if (wantsBalance(draft, context)) return true;
  const baseline = wantsBaseline(draft, context);
  return fleets.some(
    (fleet) =>
      lacksBehindFloor(draft, fleet, context) ||
      (baseline &&
        !fleet.removed &&
        (isLimited(wishInForce(draft, fleet, context)) ||
          budgetsOver(draft, fleetOwner(fleet.name)).length > 0) &&
        lacks(draft, fleet, context)),
  );
}

export function lacksBehindFloor(draft: Draft, fleet: FleetRow, context: Context): boolean {
  return hasFloor(draft, fleet, context) && lacks(draft, fleet, context);
}

function lacks(draft: Draft, fleet: FleetRow, context: Context): boolean {
  return (
    fleetPhase(draft, fleet, context).kind === "kept" &&
    (!fleet.born ||
      count(draft, fleet, context).missing > 0 ||
      bufferRoom(draft, fleet, context) > 0 ||
      mayMove(draft, fleet, context) ||
      mayUpdate(draft, fleet, context))
  );
}
