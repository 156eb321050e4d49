import type { Context } from "../../launch/facts/context.ts";
import { hold } from "../../launch/facts/hold.ts";
import { wantsBalance, wantsBaseline } from "../../launch/money/price-balance.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import { isOver } from "../fleet/fleets.ts";
import { isLimited } from "../fleet/wish.ts";
import { count } from "./count.ts";
import type { FleetPlan, PlanningInputs } from "./fleet-plan.ts";
import { told } from "./fleet-plan.ts";
import { plan } from "./plan.ts";
import { wishInForce } from "./wish-in-force.ts";

/** The plans of the fleets that are not over. From a distrusted list nothing is launched or stopped. */
export function plansOf(
  draft: Draft,
  inputs: PlanningInputs,
  believed: boolean,
  context: Context,
): readonly FleetPlan[] {
  const plans = plan(draft, inputs, context).filter(({ fleet }) => {
    const row = draft.fleets.get(fleet);
    return row && !isOver(draft, row);
  });
  const nothing = { launches: [], stops: [], holds: [hold("distrusted", {})], notes: [] };
  if (!believed) return plans.map((each) => told({ ...each, ...nothing }, context));
  return plans.map((each) => withBalanceProblem(draft, each, inputs, context));
}

/** A refused launch says that the floor holds it back; this adds that the balance cannot be read, and why. */
function withBalanceProblem(
  draft: Draft,
  planned: FleetPlan,
  { balanceProblem }: PlanningInputs,
  context: Context,
): FleetPlan {
  const fleet = draft.fleets.get(planned.fleet);
  if (balanceProblem === undefined || !fleet || !lacksBehindFloor(draft, fleet, context)) return planned;
  return told(
    { ...planned, holds: [...planned.holds, hold("unreadBalance", { why: balanceProblem })] },
    context,
  );
}

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
        isLimited(wishInForce(draft, fleet, context)) &&
        lacks(draft, fleet, context)),
  );
}

function lacksBehindFloor(draft: Draft, fleet: FleetRow, context: Context): boolean {
  return hasFloor(draft, fleet, context) && lacks(draft, fleet, context);
}

function lacks(draft: Draft, fleet: FleetRow, context: Context): boolean {
  return (
    fleetPhase(draft, fleet, context).kind === "kept" &&
    (!fleet.born || count(draft, fleet, context).missing > 0)
  );
}
