import { place } from "../../service/contract.ts";
import type { FleetPlan } from "../plan.ts";
import { clean, gpus, jsonText } from "../text.ts";
import { preview } from "../tick.ts";
import type { CommonFlags, Edge } from "./edge.ts";
import { configurationOf, isGone, readFleetFile, withKeeper } from "./edge.ts";

export interface PlanFlags extends CommonFlags {
  readonly json?: boolean;
}

/** `fleetkeeper plan`: what the agent would do now, and why. Nothing is launched or stopped. */
export async function planCommand(flags: PlanFlags, edge: Edge): Promise<number> {
  const file = readFleetFile(flags);
  const configuration = configurationOf(flags, file, edge);
  return withKeeper(configuration, edge, async (keeper) => {
    const declared = file && { source: file.source, fleets: file.fleets, isGone };
    const { believed, plans } = await preview(keeper, declared, edge.signal);
    if (flags.json) edge.print(jsonText({ fleets: plans.map(asJson) }));
    else printPlans(plans, edge);
    return believed ? 0 : 1;
  });
}

export const NO_FLEETS = "No fleets: write one into a fleet file, or declare one in a Pulumi program.";

function printPlans(plans: readonly FleetPlan[], edge: Edge): void {
  if (plans.length === 0) edge.print(NO_FLEETS);
  for (const plan of plans) {
    edge.print(
      `${clean(plan.fleet, 80)}: ${gpus(plan.desired)} asked for, ${plan.running} running, ${plan.starting} starting` +
        (plan.stopping > 0 ? `, ${plan.stopping} stopping` : ""),
    );
    const launches = plan.launches.map(
      ({ option, why }) => `${clean(place(option))} (${gpus(option.gpus)}): ${clean(why)}`,
    );
    for (const [launch, alike] of Map.groupBy(launches, (each) => each))
      edge.print(`  launch  ${alike.length > 1 ? `${alike.length} x ` : ""}${launch}`);
    for (const { id, why } of plan.stops) edge.print(`  stop    ${clean(id)}: ${clean(why)}`);
    for (const reason of plan.reasons) edge.print(`  wait    ${clean(reason, 500)}`);
    const idle = plan.launches.length + plan.stops.length + plan.reasons.length === 0;
    if (idle) edge.print("  nothing to do");
  }
}

/** The stable form for programs: USD as exact decimal strings, times in milliseconds. */
function asJson(plan: FleetPlan): Record<string, unknown> {
  const launches = plan.launches.map(({ option, why }) => ({
    offer: option.offer,
    provider: option.provider,
    location: option.location,
    gpus: option.gpus,
    pricePerHour: option.pricePerHour?.toFixed(4) ?? null,
    why,
  }));
  return { ...plan, launches, wake: plan.wake ?? null };
}
