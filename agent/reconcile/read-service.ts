import type { Context } from "../../launch/facts/context.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { slowList } from "../../launch/list/slow-list.ts";
import { takeListAlone } from "../../launch/protocol.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";
import { needsBalance } from "../planning/needs-balance.ts";
import { needsOffers } from "../planning/plan.ts";
import type { PlanningInputs } from "../planning/told/fleet-plan.ts";
import type { SideReads } from "./side-reads.ts";

/** What a tick decides from. */
export interface TickInputs {
  readonly believed: boolean;
  readonly inputs: PlanningInputs;
  /** What to do about a list that was too old for a launch when it ended; undefined: it was not too old. */
  readonly slow: string | undefined;
}

/** The share of a poll that a list may be old when launches begin: the rest is for them. */
export const FRESH_SHARE = 2 / 3;
/** The least share of a poll that side reads get, after a slow list: most answers are there by then. */
const LEAST = 1 / 6;

/**
 * Takes a full list, and reads what is needed beside it. With a `waitLimit` a next tick comes soon, and has
 * the reads that were late here; undefined: all are waited for.
 */
export async function readService(
  keeper: Keeper,
  reads: SideReads,
  waitLimit: number | undefined,
  signal: AbortSignal,
): Promise<TickInputs> {
  const { ledger, account, clock, settings } = keeper;
  const { poll } = settings;
  const begun = clock.now();
  const age = (): number => elapsed(begun, clock.now());
  const list = await takeListAlone(keeper, signal, wantedOf);
  const took = age();
  const until = (part: number): number | undefined =>
    waitLimit === undefined ? undefined : Math.max(poll * LEAST, poll * part - age());
  // Half of the time each: a machine's own answer may show a loss, and a loss needs offers.
  await reads.lookAt(keeper, list.lacking, until(FRESH_SHARE / 2), signal);
  // Puts nothing. A draft for reading alone would be a copy of all rows at each tick.
  const wanted =
    list.lacking.length === 0
      ? list.concluded
      : await ledger.decide(account, (draft) => wantedOf(draft, contextOf(keeper)));
  const inputs = await reads.inputs(keeper, wanted, until(FRESH_SHARE), signal);
  const slow = slowList(took, settings);
  // No next tick follows, and after so long a wait the list is too old to launch from: one more is taken.
  const again = waitLimit === undefined && took < poll * FRESH_SHARE && age() > poll * FRESH_SHARE;
  const { believed } = again ? await takeListAlone(keeper, signal, wantedOf) : list;
  return { believed, inputs, slow };
}

/** Which reads the plans will need. */
function wantedOf(draft: Draft, context: Context): { readonly offers: boolean; readonly balance: boolean } {
  return { offers: needsOffers(draft, context), balance: needsBalance(draft, context) };
}
