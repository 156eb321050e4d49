import type { Context } from "../launch/context.ts";
import type { Keeper } from "../launch/keeper.ts";
import { takeBalance } from "../launch/keeper.ts";
import type { Draft } from "../ledger/draft.ts";
import type { FleetRow } from "../ledger/rows.ts";
import { FleetkeeperError } from "../service/errors.ts";
import { count, isOver } from "./count.ts";
import type { FleetPlan, Means } from "./plan.ts";
import { plan } from "./plan.ts";
import { standing } from "./standing.ts";
import { parseWish } from "./wish.ts";

const DISTRUST =
  "the newest list lacks half of the machines at once, and is not believed before a second one agrees: nothing is launched or stopped";

/** The plans of the fleets that are not over; from a list that is distrusted nothing follows. */
export function plansOf(
  draft: Draft,
  means: Means,
  believed: boolean,
  context: Context,
): readonly FleetPlan[] {
  const plans = plan(draft, means, context).filter(({ fleet }) => {
    const row = draft.fleets.get(fleet);
    return row && !isOver(draft, row);
  });
  return believed ? plans : plans.map((each) => ({ ...each, launches: [], stops: [], reasons: [DISTRUST] }));
}

/** Of a poll: launches need a list that is younger than that, and it was taken before. */
const PATIENCE = 0.75;

/**
 * Offers that cannot be read, or not in time, hold the fleets that choose among them, and nothing else: what runs elsewhere
 * must still be replaced and stopped. Candidates then cost what people wrote.
 */
export async function meansOf(keeper: Keeper, withOffers: boolean, signal: AbortSignal): Promise<Means> {
  const { service, clock, settings } = keeper;
  const can = service.abilities;
  if (!can.offers || !withOffers) return { can, offers: undefined };
  const [late, done] = [new AbortController(), new AbortController()];
  const patience = PATIENCE * settings.poll;
  const watch = clock.sleep(patience, AbortSignal.any([signal, done.signal]));
  watch.then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return { can, offers: await service.offers(AbortSignal.any([signal, late.signal])) };
  } catch (error) {
    const problem =
      late.signal.aborted && !signal.aborted
        ? `they did not come within ${patience / 1000} s`
        : unlessFatal(error, signal).message;
    return { can, offers: undefined, offersProblem: problem };
  } finally {
    done.abort();
  }
}

export function hasFloor(fleet: FleetRow): boolean {
  return !fleet.removed && parseWish(fleet.wish).budget.floor !== undefined;
}

/** True if some fleet that lacks machines must keep to a floor. */
export function needsBalance(draft: Draft, context: Context): boolean {
  return [...draft.fleets.values()].some(
    (fleet) =>
      hasFloor(fleet) &&
      standing(draft, fleet, context).kind === "kept" &&
      (!fleet.born || count(draft, fleet, context).missing > 0),
  );
}

/** Without a balance the fleets with a floor wait: their launches are not admitted. The others go on. */
export async function tryBalance(keeper: Keeper, signal: AbortSignal): Promise<void> {
  try {
    await takeBalance(keeper, signal);
  } catch (error) {
    unlessFatal(error, signal);
  }
}

/** An error that only one thing suffers from; throws what the whole tick must fail with. */
function unlessFatal(error: unknown, signal: AbortSignal): FleetkeeperError {
  if (signal.aborted || !(error instanceof FleetkeeperError) || error.code === "LEDGER") throw error;
  return error;
}
