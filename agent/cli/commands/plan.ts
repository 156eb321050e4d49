import { place } from "../../../service/contract.ts";
import { type Clean, cleanFor, gpusText, jsonText } from "../../fleet/text.ts";
import type { FleetPlan } from "../../planning/fleet-plan.ts";
import { preview } from "../../reconcile/preview.ts";
import type { CliContext } from "./cli-context.ts";
import type { AskFlags } from "./flags.ts";
import { configurationOf, isGone, readFleetFile } from "./flags.ts";
import { withKeeper } from "./opening.ts";

/** `fleetkeeper plan`: what the agent would do now, and why. Nothing is launched or stopped. */
export async function planCommand(flags: AskFlags, cli: CliContext): Promise<number> {
  const file = await readFleetFile(flags);
  const configuration = configurationOf(flags, file, cli);
  return withKeeper(configuration, cli, async (keeper) => {
    const { believed, plans } = await preview(keeper, file && { ...file, isGone }, cli.signal);
    if (flags.json) cli.print(jsonText({ fleets: plans.map(asJson) }));
    else cli.print(planText(plans, cleanFor(cli)));
    return believed ? 0 : 1;
  });
}

export const NO_FLEETS = "No fleets: write one into a fleet file, or declare one in a Pulumi program.";

/** The plans for people. */
export function planText(plans: readonly FleetPlan[], clean: Clean): string {
  return plans.length === 0 ? NO_FLEETS : plans.flatMap((each) => linesOf(each, clean)).join("\n");
}

function linesOf(plan: FleetPlan, clean: Clean): readonly string[] {
  const alike = Map.groupBy(plan.launches, ({ option, why }) => `${place(option)} ${why}`);
  const idle = plan.launches.length + plan.stops.length + plan.reasons.length === 0;
  return [
    `${clean(plan.fleet, 80)}: ${gpusText(plan.desired)} asked for, ${plan.running} running, ${plan.starting} starting` +
      (plan.stopping > 0 ? `, ${plan.stopping} stopping` : ""),
    ...[...alike.values()].map((each) => launchLine(each, clean)),
    ...plan.stops.map(({ id, why }) => `  stop    ${clean(id)}: ${clean(why)}`),
    ...plan.reasons.map((reason) => `  wait    ${clean(reason, 500)}`),
    ...(idle ? ["  nothing to do"] : []),
  ];
}

/** One line for all launches of the same combination for the same reason. */
function launchLine(alike: FleetPlan["launches"], clean: Clean): string {
  const [times, each] = alike.length > 1 ? [`${alike.length} x `, " each"] : ["", ""];
  const [first] = alike;
  if (!first) return "";
  return `  launch  ${times}${clean(place(first.option))} (${gpusText(first.option.gpus)}${each}): ${clean(first.why)}`;
}

/** The stable form for programs: USD as exact decimal strings, times in ms. */
function asJson(plan: FleetPlan): Record<string, unknown> {
  const launches = plan.launches.map(({ option: { offer, provider, location, gpus, pricePerHour }, why }) => {
    return { offer, provider, location, gpus, pricePerHour: pricePerHour?.toFixed(4) ?? null, why };
  });
  return { ...plan, launches, wake: plan.wake ?? null };
}
