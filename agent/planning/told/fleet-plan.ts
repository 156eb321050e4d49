import type { Context } from "../../../launch/facts/context.ts";
import { type Hold, holdText, kindOf } from "../../../launch/facts/hold.ts";
import type { Instant } from "../../../ledger/instant.ts";
import type { HoldRow } from "../../../ledger/rows.ts";
import type { Abilities, Offer } from "../../../service/contract/service.ts";
import type { PlanFacts } from "../../json/plan.ts";
import type { MoveNews } from "../count/improving.ts";
import type { UpdateNews } from "../machines/updating.ts";
import type { Option } from "../mix/mix.ts";
import type { Bound } from "./bound.ts";
import { boundFacts, type Costs, costFacts } from "./costs.ts";

/** What to do for one fleet now, each with a reason that a person understands. Made by a pure function. */
export interface FleetPlan
  extends Omit<PlanFacts, "service" | "launches" | "takes" | "holds" | "wake" | "costs" | "most"> {
  readonly launches: readonly { readonly option: Option; readonly why: string }[];
  /** With the stops the fleet wants so many GPUs less; they are given back as idle. Absent: none. */
  readonly lowers?: number | undefined;
  /** A move to cheaper machines that begins with it, or is over. Absent: neither. */
  readonly move?: MoveNews | undefined;
  /** Machines begin to be replaced, or that is over. Absent: neither. */
  readonly update?: UpdateNews | undefined;
  /** What holds launches, the one that matters most first. */
  readonly holds: readonly Hold[];
  /** What else is waited for, and what people should know. `reasons` has both in words. */
  readonly notes: readonly string[];
  /** When to look again for the sake of this fleet, in ms; undefined: at the next poll. */
  readonly wake: number | undefined;
}

/** With what is taken without a launch, what it costs, and the most that it can. */
export interface PricedPlan extends FleetPlan, Pick<PlanFacts, "takes"> {
  readonly costs: Costs;
  readonly most: Bound;
}

/** The plan with its reasons in words. */
export function told(planned: Omit<FleetPlan, "reasons">, { now }: Context): FleetPlan {
  return { ...planned, reasons: reasonsOf(planned.holds, planned.notes, now) };
}

export function reasonsOf(
  holds: readonly HoldRow[],
  notes: readonly string[],
  { wall }: Instant,
): readonly string[] {
  return [...new Set([...holds.map((each) => holdText(each, wall)), ...notes])];
}

/** When the first of these ends by itself, in ms from now; undefined: at no known moment. */
export function firstEnd(holds: readonly Hold[], { now }: Context): number | undefined {
  const ends = holds.flatMap(({ until }) => (until === undefined ? [] : [until - now.wall]));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** A hold as programs read it. */
export function holdFacts(held: HoldRow): PlanFacts["holds"][number] {
  const { about, remedy } = kindOf(held);
  return { kind: held.kind, about, remedy, until: held.until ?? null, numbers: held.numbers };
}

/** What programs read of a plan. */
export function planFacts({ notes: _inReasons, costs, most, ...plan }: PricedPlan): PlanFacts {
  const launches = plan.launches.map(({ option: { offer, provider, location, gpus, pricePerHour }, why }) => {
    return { offer, provider, location, gpus, pricePerHour: pricePerHour?.toFixed(4) ?? null, why };
  });
  return {
    ...plan,
    launches,
    holds: plan.holds.map(holdFacts),
    wake: plan.wake ?? null,
    costs: costFacts(costs),
    most: boundFacts(most),
  };
}

/** What the profile makes possible, and what is known of the offers. */
export interface PlanningInputs {
  readonly can: Pick<Abilities, "launch" | "stop" | "offers">;
  /** Undefined: they were not read. */
  readonly offers: readonly Offer[] | undefined;
  /** How many of them could not be read, and why. */
  readonly unreadOffers?: string | undefined;
  /** Why they could not be read at all. */
  readonly offersProblem?: string | undefined;
  /** Why the balance could not be read. */
  readonly balanceProblem?: string | undefined;
}
