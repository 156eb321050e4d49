import type { Abilities, Offer } from "../../service/service.ts";
import type { PlanFacts } from "../json/plan.ts";
import type { Option } from "./mix.ts";

/** What to do for one fleet now, each with a reason that a person understands. Made by a pure function. */
export interface FleetPlan extends Omit<PlanFacts, "service" | "launches" | "wake"> {
  readonly launches: readonly { readonly option: Option; readonly why: string }[];
  /** When to look again for the sake of this fleet, in ms; undefined: at the next poll. */
  readonly wake: number | undefined;
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
