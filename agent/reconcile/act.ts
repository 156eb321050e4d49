import type { Keeper } from "../../launch/keeper.ts";
import { carryOutStops } from "../../launch/protocol.ts";
import type { Wish } from "../fleet/wish/wish.ts";
import type { Option } from "../planning/mix/mix.ts";
import type { FleetPlan } from "../planning/told/fleet-plan.ts";
import type { InFlight } from "./in-flight.ts";
import { type FleetLaunch, isGrouped, launchFleet } from "./launch-fleet.ts";

/** Plans, and the wishes that they were made for. */
export interface Planned {
  readonly plans: readonly FleetPlan[];
  readonly wishes: ReadonlyMap<string, Wish>;
  /** What is asked for after that waits for the next tick. */
  readonly areStopsDue: boolean;
}

/** Work in flight, and for how many ms a tick waits for its own part of it; undefined: to the end. */
export interface WaitFor {
  readonly inFlight: InFlight;
  readonly waitLimit: number | undefined;
}

/** `unfinished`: something is still in flight, and this tick waits for it no longer. */
interface Launched {
  readonly launched: readonly FleetLaunch[];
  readonly unfinished: boolean;
}

export interface Acted extends Launched {
  /** What the launches or the stops threw. */
  readonly failures: readonly unknown[];
}

/** Launches what was planned, and goes on with all stops that were ever asked for. Throws nothing. */
export async function act(
  keeper: Keeper,
  planned: Planned,
  waitFor: WaitFor,
  signal: AbortSignal,
): Promise<Acted> {
  // Neither waits for the other: a stop call that hangs must not keep a lost machine from being replaced.
  const [launches, stops] = await Promise.allSettled([
    carryOutLaunches(keeper, planned, waitFor, signal),
    planned.areStopsDue ? goOnStopping(keeper, waitFor, signal) : { unfinished: false },
  ]);
  const { launched, unfinished } = launches.status === "fulfilled" ? launches.value : NOTHING;
  return {
    launched,
    unfinished: unfinished || (stops.status === "fulfilled" && stops.value.unfinished),
    failures: [launches, stops].flatMap((each) => (each.status === "rejected" ? [each.reason] : [])),
  };
}

const NOTHING: Launched = { launched: [], unfinished: false };

async function carryOutLaunches(
  keeper: Keeper,
  { plans, wishes }: Planned,
  { inFlight, waitLimit }: WaitFor,
  signal: AbortSignal,
): Promise<Launched> {
  const busy = plans.filter(({ launches }) => launches.length > 0);
  if (busy.length === 0) return NOTHING;
  // A round that outlives this tick sends nothing more: what is missing is planned anew, from a newer list.
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const begin = async (fleet: string, options: readonly Option[]): Promise<readonly FleetLaunch[]> => {
    const wish = wishes.get(fleet);
    return wish ? inFlight.begin(launchFleet(keeper, fleet, wish, options, either)) : [];
  };
  const within = (work: readonly Promise<readonly FleetLaunch[]>[]) =>
    inFlight.within(waitLimit, work, keeper.clock, signal);
  try {
    // All fleets at once: a launch that hangs must not keep another fleet waiting.
    const rounds = await within(
      busy.map(({ fleet, launches }) =>
        begin(
          fleet,
          launches.map(({ option }) => option),
        ),
      ),
    );
    const launched: FleetLaunch[] = [];
    let unfinished = false;
    for (const round of rounds) {
      unfinished ||= round === undefined;
      const grouped = (round ?? []).filter(isGrouped);
      launched.push(...(round ?? []).filter((each) => !isGrouped(each)));
      // Where lists cannot tell the fleets' launches apart, they go out one after the other.
      const [first] = grouped;
      if (!first || rounds.includes(undefined)) continue;
      const options = grouped.map(({ option }) => option);
      const [again] = await within([begin(first.fleet, options)]);
      unfinished ||= again === undefined;
      launched.push(...(again ?? []));
    }
    return { launched, unfinished };
  } finally {
    over.abort("the tick is over");
  }
}

/** Sends the stops that are due. While a round outlives its tick, no second one begins. */
export async function goOnStopping(
  keeper: Keeper,
  { inFlight, waitLimit }: WaitFor,
  signal: AbortSignal,
): Promise<Pick<Launched, "unfinished">> {
  const stops = inFlight.beginStops(() => carryOutStops(keeper, signal));
  if (!stops) return { unfinished: false };
  const [ended] = await inFlight.within(waitLimit, [stops], keeper.clock, signal);
  return { unfinished: ended === undefined };
}
