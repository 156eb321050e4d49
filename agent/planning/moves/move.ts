import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import type { FleetPhase } from "../../json/status.ts";
import type { Count } from "../count/count.ts";
import type { FleetPlan, PlanningInputs } from "../told/fleet-plan.ts";

/** All that the plan of one fleet is made of. */
export interface Situation {
  readonly draft: Draft;
  readonly fleet: FleetRow;
  readonly phase: FleetPhase;
  /** The one in force. */
  readonly wish: Wish;
  readonly counted: Count;
  readonly inputs: PlanningInputs;
  readonly context: Context;
}

/** What one move adds to the plan, and why. */
export type Planned = Partial<
  Pick<FleetPlan, "launches" | "stops" | "lowers" | "move" | "update" | "holds" | "notes" | "wake">
>;

/** One thing that may be done for a fleet, or that keeps it as it is. */
export interface Move {
  /** Undefined: it is not for a fleet that stands so. */
  readonly plan: (of: Situation) => Planned | undefined;
  /** True: nothing else is planned beside it. False: the next moves are asked, unless it stops or launches something. */
  readonly alone: boolean;
}
