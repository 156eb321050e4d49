import { combinationText as placeOf } from "../../../service/contract/contract.ts";
import { type Clean, gpusText } from "../../fleet/text/text.ts";
import type { PlanFacts } from "../../json/plan.ts";
import { boundIn, boundText, type Costs, costsIn, costText } from "./costs.ts";
import { otherLedgerTexts, takeTexts } from "./takes.ts";

export const NO_FLEETS = "No fleets: write one into a fleet file, or declare one in a Pulumi program.";

/** The plans for people. */
export function planText(plans: readonly PlanFacts[], clean: Clean): string {
  return plans.length === 0 ? NO_FLEETS : plans.flatMap((each) => linesOf(each, clean)).join("\n");
}

function linesOf(plan: PlanFacts, clean: Clean): readonly string[] {
  const idle = plan.launches.length + plan.stops.length + plan.takes.length + plan.reasons.length === 0;
  return [
    `${clean(plan.fleet, 80)}: ${gpusText(plan.desired)} asked for, ${plan.running} running, ${plan.starting} starting` +
      (plan.stopping > 0 ? `, ${plan.stopping} stopping` : ""),
    ...stepsOf(plan, [], clean),
    ...(idle ? ["  nothing to do"] : []),
    ...moneyLines(plan, costsIn(plan.costs)),
  ];
}

/** What it costs, and the most that it can: nothing for a fleet that wants nothing and has nothing. */
export function moneyLines({ most, desired, currency }: PlanFacts, costs: Costs): readonly string[] {
  const text = costText(costs, currency);
  if (text === undefined && desired === 0) return [];
  const bound = boundText(boundIn(most), currency);
  return [...(text === undefined ? [] : [`  costs   ${text}`]), `  ${bound}`];
}

/** What is done for a fleet, and what it waits for beside what `said` says already. */
export function stepsOf(
  plan: PlanFacts | undefined,
  said: readonly (string | null)[],
  clean: Clean,
): readonly string[] {
  if (!plan) return [];
  const alike = Map.groupBy(plan.launches, (each) => `${placeOf(each)} ${each.why}`);
  const others = plan.reasons.filter((reason) => !said.includes(reason));
  return [
    ...takeTexts(plan.takes, plan.currency).map((text) => `  take    ${clean(text, 500)}`),
    ...otherLedgerTexts(plan.takes).map((text) => `  WARNING ${clean(text, 1000)}`),
    ...[...alike.values()].map((each) => launchLine(each, clean)),
    ...plan.stops.map(({ id, why }) => `  stop    ${clean(id)}: ${clean(why)}`),
    ...others.map((reason) => `  wait    ${clean(reason, 500)}`),
  ];
}

/** One line for all launches of the same combination for the same reason. */
function launchLine(alike: PlanFacts["launches"], clean: Clean): string {
  const [times, each] = alike.length > 1 ? [`${alike.length} x `, " each"] : ["", ""];
  const [first] = alike;
  if (!first) return "";
  return `  launch  ${times}${clean(placeOf(first))} (${gpusText(first.gpus)}${each}): ${clean(first.why)}`;
}
