import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { unhandled } from "../../service/errors.ts";
import type { FleetPlan } from "../planning/fleet-plan.ts";
import type { FleetLaunch } from "./launch-fleet.ts";

/** Adds what came of the launches to the reasons. `slow`: what to do about a list too old for a launch. */
export function withOutcomes(
  plans: readonly FleetPlan[],
  launched: readonly FleetLaunch[],
  slow: string | undefined,
): readonly FleetPlan[] {
  return plans.map((plan) => {
    const own = launched.filter(({ fleet }) => fleet === plan.fleet);
    const outcomes = own.flatMap((each) => reasonOf(each, slow));
    return { ...plan, reasons: [...new Set([...plan.reasons, ...outcomes])] };
  });
}

function reasonOf({ result }: FleetLaunch, slow: string | undefined): readonly string[] {
  switch (result.kind) {
    case "claimed":
      return [];
    case "refused": {
      const { kind, text } = result.refusal;
      return [kind === "stale" && slow !== undefined ? `${text}; ${slow}` : text];
    }
    case "open":
    case "cooling":
    case "rejected":
    case "notSent":
      return [result.reason];
    default:
      return unhandled(result);
  }
}

/** Puts why a count is not reached, for status, page and provider; only where it changes. */
export function putReasons(
  draft: Draft,
  plans: readonly FleetPlan[],
  mine: (fleet: string) => boolean,
): void {
  const all = new Map(plans.map(({ fleet, reasons }) => [fleet, reasons] as const));
  const isNews = ({ name, reasons }: FleetRow): boolean =>
    mine(name) && reasons.join("\n") !== (all.get(name) ?? []).join("\n");
  for (const fleet of draft.fleets.values())
    if (isNews(fleet)) draft.putFleet({ ...fleet, reasons: all.get(fleet.name) ?? [] });
}
