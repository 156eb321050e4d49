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
    else edge.print(planText(plans));
    return believed ? 0 : 1;
  });
}

export const NO_FLEETS = "No fleets: write one into a fleet file, or declare one in a Pulumi program.";

/** The plans for people. */
export function planText(plans: readonly FleetPlan[]): string {
  return plans.length === 0 ? NO_FLEETS : plans.flatMap(linesOf).join("\n");
}

function linesOf(plan: FleetPlan): readonly string[] {
  const launches = plan.launches.map(
    ({ option, why }) => `${clean(place(option))} (${gpus(option.gpus)}): ${clean(why)}`,
  );
  const idle = plan.launches.length + plan.stops.length + plan.reasons.length === 0;
  return [
    `${clean(plan.fleet, 80)}: ${gpus(plan.desired)} asked for, ${plan.running} running, ${plan.starting} starting` +
      (plan.stopping > 0 ? `, ${plan.stopping} stopping` : ""),
    ...[...Map.groupBy(launches, (each) => each)].map(
      ([launch, alike]) => `  launch  ${alike.length > 1 ? `${alike.length} x ` : ""}${launch}`,
    ),
    ...plan.stops.map(({ id, why }) => `  stop    ${clean(id)}: ${clean(why)}`),
    ...plan.reasons.map((reason) => `  wait    ${clean(reason, 500)}`),
    ...(idle ? ["  nothing to do"] : []),
  ];
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
