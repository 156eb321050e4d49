import type { Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Json } from "../../service/contract/service.ts";
import type { PlanFacts } from "../json/plan.ts";
import { planFacts } from "../planning/told/fleet-plan.ts";
import { admittedOf, plansIn, readInput } from "../reconcile/preview.ts";
import { decide, type Given, orderContext, type Refused, whyNot } from "./carry-out.ts";

/** What an order would do, and what the agent would do then. */
export interface Foreseen {
  readonly answer: Json;
  /** What no plan says yet, for people. */
  readonly warning: string | null;
  /** False: the newest list is not believed, and an agent would do nothing now. */
  readonly believed: boolean;
  /** Of all fleets of the account, as `fleetkeeper plan` has them. */
  readonly fleets: readonly PlanFacts[];
}

/** Tries an order on a draft that is thrown away, and plans with it. The service is read as by a plan; nothing else is sent. */
export async function foresee(
  keeper: Keeper,
  { key: _none, ...given }: Given,
  signal: AbortSignal,
): Promise<Foreseen | Refused> {
  const tried: { readonly outcome: ReturnType<typeof decide>; readonly warning: string | undefined }[] = [];
  const looked = await readInput(keeper, undefined, signal, (draft: Draft) => {
    const context = orderContext(keeper, given.actor, true);
    const { order, target, input } = given;
    const mayAsk = whyNot(draft, given, context) === undefined;
    const warning = mayAsk ? order.warns?.(draft, target, input, context) : undefined;
    tried.push({ outcome: decide(draft, given, context), warning });
  });
  // It is tried once to know what to read, and once on what was read.
  const last = tried.at(-1);
  if (!last) throw new FleetkeeperError("INTERNAL", "a dry run tried nothing");
  const { outcome, warning = null } = last;
  if ("refused" in outcome) return outcome;
  const fleets = admittedOf(looked, plansIn(looked)).map(planFacts);
  return { answer: outcome.answer, warning, believed: looked.believed, fleets };
}
