import type { Context } from "../../launch/facts/context.ts";
import { hold } from "../../launch/facts/hold.ts";
import type { Draft } from "../../ledger/draft.ts";
import { isOver } from "../fleet/fleets.ts";
import type { FleetPlan, PlanningInputs } from "./fleet-plan.ts";
import { told } from "./fleet-plan.ts";
import { lacksBehindFloor } from "./needs-balance.ts";
import { plan } from "./plan.ts";

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
