import type { Context } from "../../launch/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { takeBalance } from "../../launch/keeper.ts";
import { wantsBalance, wantsBaseline } from "../../launch/price-balance.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { endsAll, type FleetkeeperError } from "../../service/errors.ts";
import { readable, unreadText } from "../../service/unread.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import { isOver } from "../fleet/fleets.ts";
import { isLimited, parseWish } from "../fleet/wish.ts";
import { count } from "./count.ts";
import type { FleetPlan, PlanningInputs } from "./fleet-plan.ts";
import { plan } from "./plan.ts";

const DISTRUST =
  "the newest list lacks half of the machines at once, and is not believed before a second one agrees: nothing is launched or stopped";

/** The plans of the fleets that are not over; from a list that is distrusted nothing follows. */
export function plansOf(
  draft: Draft,
  means: PlanningInputs,
  believed: boolean,
  context: Context,
): readonly FleetPlan[] {
  const plans = plan(draft, means, context).filter(({ fleet }) => {
    const row = draft.fleets.get(fleet);
    return row && !isOver(draft, row);
  });
  if (!believed) return plans.map((each) => ({ ...each, launches: [], stops: [], reasons: [DISTRUST] }));
  return plans.map((each) => withBalanceProblem(draft, each, means, context));
}

/** That the floor holds a fleet is said where its launches are refused; this is why. */
function withBalanceProblem(
  draft: Draft,
  planned: FleetPlan,
  { balanceProblem }: PlanningInputs,
  context: Context,
): FleetPlan {
  const fleet = draft.fleets.get(planned.fleet);
  if (balanceProblem === undefined || !fleet || !lacksBehindFloor(draft, fleet, context)) return planned;
  return { ...planned, reasons: [...planned.reasons, `the balance cannot be read: ${balanceProblem}`] };
}

/**
 * Offers that cannot be read, or not in time, hold the fleets that choose among them, and nothing else: what
 * runs elsewhere must still be replaced and stopped. Candidates then cost what people wrote.
 */
export async function readOffers(
  keeper: Keeper,
  signal: AbortSignal,
): Promise<Pick<PlanningInputs, "offers" | "offersProblem" | "unreadOffers">> {
  try {
    const offers = await keeper.service.offers(signal);
    return { offers: readable(offers), unreadOffers: unreadText(offers, "offers") };
  } catch (error) {
    return { offers: undefined, offersProblem: unlessFatal(error, signal).message };
  }
}

export function hasFloor(fleet: FleetRow): boolean {
  return !fleet.removed && parseWish(fleet.wish).budget.floor !== undefined;
}

/** True if a fleet that lacks machines keeps to a floor, or if the balance may prove a launch's price. */
export function needsBalance(draft: Draft, context: Context): boolean {
  const fleets = [...draft.fleets.values()];
  if (wantsBalance(draft, context)) return true;
  const baseline = wantsBaseline(draft, context);
  return fleets.some(
    (fleet) =>
      lacksBehindFloor(draft, fleet, context) ||
      (baseline && !fleet.removed && isLimited(parseWish(fleet.wish)) && lacks(draft, fleet, context)),
  );
}

function lacksBehindFloor(draft: Draft, fleet: FleetRow, context: Context): boolean {
  return hasFloor(fleet) && lacks(draft, fleet, context);
}

function lacks(draft: Draft, fleet: FleetRow, context: Context): boolean {
  return (
    fleetPhase(draft, fleet, context).kind === "kept" &&
    (!fleet.born || count(draft, fleet, context).missing > 0)
  );
}

/**
 * Without a balance the fleets with a floor wait: their launches are not admitted. The others go on. Says why
 * it could not be read; undefined: it was.
 */
export async function tryBalance(keeper: Keeper, signal: AbortSignal): Promise<string | undefined> {
  try {
    await takeBalance(keeper, signal);
    return undefined;
  } catch (error) {
    return unlessFatal(error, signal).message;
  }
}

/** An error that only one thing suffers from; throws what the whole tick must fail with. */
function unlessFatal(error: unknown, signal: AbortSignal): FleetkeeperError {
  if (signal.aborted || endsAll(error)) throw error;
  return error as FleetkeeperError;
}
