import { dueStops } from "../../launch/ends/stop.ts";
import { askUnserving, isUnserving } from "../../launch/ends/unserving.ts";
import type { Context } from "../../launch/facts/context.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import { storePausedStops } from "../fleet/phase/paused-stops.ts";
import { lowerByIdle } from "../fleet/size/lowered-count.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import { isOrdered } from "../planning/count/churn.ts";
import { storeMove } from "../planning/count/improving.ts";
import { chooseStop, isForWish, storeHooks } from "../planning/machines/before-stop.ts";
import { storeUpdate } from "../planning/machines/updating.ts";
import { storeOffered } from "../planning/parts/offered.ts";
import { plansOf } from "../planning/plan.ts";
import type { FleetPlan } from "../planning/told/fleet-plan.ts";
import { act, goOnStopping, type Planned } from "./act.ts";
import { InFlight } from "./in-flight.ts";
import type { FleetLaunch } from "./launch-fleet.ts";
import { type AwaitedLists, awaitedLists, untilNextTick } from "./next-tick.ts";
import { readService, type TickInputs } from "./read-service.ts";
import { SideReads } from "./side-reads.ts";
import { storeFleets } from "./store-fleets.ts";
import { putReasons, withOutcomes } from "./store-reasons.ts";

/** What one tick saw, decided and did. */
export interface TickReport {
  /** False: the list was distrusted, and nothing was concluded from what it lacks. */
  readonly believed: boolean;
  readonly plans: readonly FleetPlan[];
  readonly launched: readonly FleetLaunch[];
  /** A fleet waits for the second list of its initial adoption, or of a ledger that was restored. */
  readonly looking: boolean;
  /** Some fleet is a part of one in several services. */
  readonly hasParts: boolean;
  /** The fleet file of its agent has several services. */
  readonly isOfSeveral: boolean;
  /** Milliseconds until the next tick is due. */
  readonly wake: number;
}

export interface TickOptions {
  /** False for the fleets that this tick leaves alone, as a `pulumi up` does with all but its own. */
  readonly mine?: (fleet: string) => boolean;
  /** Who has it plan and act, where that is a program: see `Keeper`. What the list shows was decided by nobody. */
  readonly by?: string | undefined;
  /** Work that goes on while the next ticks run. Without it a tick waits for all that it does. */
  readonly inFlight?: InFlight;
  /** Reads beside a list that may outlive their tick, too. */
  readonly reads?: SideReads;
}

/**
 * One round of reconciling: observe, record, plan, act, wake. One list call and nothing else where nothing is
 * to be done. Throws a `FleetkeeperError` if the service or the ledger cannot be read, or no decision can be
 * made: then nothing was decided, and only the stops that were decided before went on.
 */
export async function tick(
  keeper: Keeper,
  signal: AbortSignal,
  options: TickOptions = {},
): Promise<TickReport> {
  const { ledger, account, settings } = keeper;
  const { mine = () => true, by, inFlight = new InFlight(() => undefined) } = options;
  const { reads = new SideReads(inFlight) } = options;
  const waitFor = { inFlight, waitLimit: options.inFlight && settings.poll };
  const acting: Keeper = by === undefined ? keeper : { ...keeper, actor: by };

  // Stops that were decided before need neither a list nor a plan: each looks at its machine by id, which
  // bills meanwhile.
  const stopAnyway = async (error: unknown): Promise<never> => {
    await goOnStopping(keeper, waitFor, signal);
    throw error;
  };

  const observed = await readService(keeper, reads, waitFor.waitLimit, signal).catch(stopAnyway);
  const { believed } = observed;

  // One transaction: a fleet is written down as drained together with the stops that this asks for.
  const decision = (draft: Draft): Decided => {
    const context = contextOf(acting);
    storeFleets(draft, observed, mine, context);
    return plan(draft, observed, mine, context);
  };
  const decided = await ledger.decide(account, decision).catch((error: unknown) => {
    // 9: while a list is distrusted, nothing is stopped.
    if (!believed) throw error;
    return stopAnyway(error);
  });

  const acted = believed ? await act(acting, decided, waitFor, signal) : NOTHING_DONE;
  const { launched } = acted;
  const plans = withOutcomes(decided.plans, launched, observed.slow, contextOf(keeper));
  if (!decided.hasReasons) await ledger.decide(account, (draft) => putReasons(draft, plans, mine));
  if (acted.failures.length > 0) throw acted.failures[0];

  return {
    believed,
    plans,
    launched,
    looking: decided.lists.awaited,
    hasParts: decided.hasParts,
    isOfSeveral: decided.isOfSeveral,
    wake: untilNextTick(decided.lists, plans, acted, settings.poll, keeper.clock.now().wall),
  };
}

const NOTHING_DONE = { launched: [], unfinished: false, failures: [] };

interface Decided extends Planned {
  readonly lists: AwaitedLists;
  /** The reasons are stored: nothing is launched that could add to them. */
  readonly hasReasons: boolean;
  readonly hasParts: boolean;
  readonly isOfSeveral: boolean;
}

/** Plans each fleet that is `mine`, and asks for the stops: they are carried out beside the launches. */
function plan(
  draft: Draft,
  { inputs, believed }: TickInputs,
  mine: (fleet: string) => boolean,
  context: Context,
): Decided {
  if (believed)
    for (const fleet of draft.fleets.values()) if (mine(fleet.name)) storeHooks(draft, fleet, context);
  const plans = plansOf(draft, inputs, believed, context).filter(({ fleet }) => mine(fleet));
  for (const { fleet, stops, lowers, move, update } of plans) {
    // With the stops, or an agent that comes between rents others in their place.
    const rows = stops.flatMap(({ id }) => draft.deployments.ever(id) ?? []);
    if (lowers !== undefined) lowerByIdle(draft, fleet, rows, lowers, context);
    if (move) storeMove(draft, fleet, move, context);
    if (update) storeUpdate(draft, fleet, update, context);
    for (const { id, why } of stops) {
      const row = draft.deployments.ever(id);
      // What an update stops young is a loss: else each change of a wish would pay for a first hour of all machines.
      const ordered = !update && (lowers !== undefined || isOrdered(draft, fleet, id, context));
      if (row && !ordered && isUnserving(draft, row, context)) askUnserving(draft, row, context, "planned");
      else
        chooseStop(draft, id, why, context, {
          ordered,
          isForWish: !move && !update && isForWish(draft, fleet, id),
        });
    }
  }
  for (const fleet of draft.fleets.values()) if (mine(fleet.name)) storePausedStops(draft, fleet, context);
  // Before the reasons: they tell a first look from a second one.
  const lists = awaitedLists(draft, plans, mine, context);
  const hasReasons = !believed || plans.every(({ launches }) => launches.length === 0);
  if (hasReasons) putReasons(draft, plans, mine);
  storeOffered(draft, inputs, believed, context);
  return {
    plans,
    wishes: new Map([...draft.fleets.values()].map(({ name, wish }) => [name, parseWish(wish)])),
    lists,
    hasReasons,
    hasParts: [...draft.fleets.values()].some(({ part }) => part),
    isOfSeveral: draft.account.service !== undefined,
    areStopsDue: dueStops(draft, context).length > 0,
  };
}
