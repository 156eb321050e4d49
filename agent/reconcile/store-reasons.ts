import type { Context } from "../../launch/facts/context.ts";
import type { Hold } from "../../launch/facts/hold.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { HoldRow } from "../../ledger/rows.ts";
import { unhandled } from "../../service/contract/errors.ts";
import { type FleetPlan, told } from "../planning/told/fleet-plan.ts";
import type { FleetLaunch } from "./launch-fleet.ts";

/** Adds what came of the launches. `slow`: what to do about a list too old for a launch. */
export function withOutcomes(
  plans: readonly FleetPlan[],
  launched: readonly FleetLaunch[],
  slow: string | undefined,
  context: Context,
): readonly FleetPlan[] {
  return plans.map((plan) => {
    const own = launched.filter(({ fleet }) => fleet === plan.fleet);
    if (own.length === 0) return plan;
    const refused = own.flatMap(({ result }) => (result.kind === "refused" ? result.holds : []));
    const holds = [...plan.holds, ...refused.map((each) => withSlow(each, slow))];
    const notes = [...plan.notes, ...own.flatMap(noteOf)];
    return told({ ...plan, holds: distinct(holds), notes }, context);
  });
}

function withSlow(hold: Hold, slow: string | undefined): Hold {
  const isOld = hold.kind === "stale" || hold.kind === "unlisted";
  return isOld && slow !== undefined ? { ...hold, numbers: { ...hold.numbers, slow: `; ${slow}` } } : hold;
}

/** Each launch of a round may have been refused for the same. */
function distinct(holds: readonly Hold[]): readonly Hold[] {
  return [...new Map(holds.map((each) => [JSON.stringify(each), each])).values()];
}

function noteOf({ result }: FleetLaunch): readonly string[] {
  switch (result.kind) {
    case "claimed":
    case "refused":
      return [];
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
  const all = new Map(plans.map((each) => [each.fleet, each]));
  for (const fleet of draft.fleets.values()) {
    const { holds, notes } = all.get(fleet.name) ?? { holds: [], notes: [] };
    if (
      !mine(fleet.name) ||
      (isAlike(fleet.holds ?? [], holds) && fleet.reasons.join("\n") === notes.join("\n"))
    )
      continue;
    const { holds: _before, ...row } = fleet;
    draft.putFleet({ ...row, ...(holds.length > 0 ? { holds } : {}), reasons: notes });
  }
}

/** Two moments that are so close are one: a wait is counted by a clock that never jumps, and told by one that may. */
const SAME_MS = 2_000;

/** True if they differ only in numbers that grow: these are written with the next change of another kind. */
function isAlike(before: readonly HoldRow[], now: readonly HoldRow[]): boolean {
  const gist = (holds: readonly HoldRow[]): string =>
    JSON.stringify(holds, (_key, value: unknown) => (typeof value === "number" ? 0 : value));
  return (
    gist(before) === gist(now) &&
    before.every(({ until = 0 }, index) => Math.abs(until - (now[index]?.until ?? 0)) < SAME_MS)
  );
}
