import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow, IntentRow, PriceDoubt } from "../../ledger/rows.ts";
import { type Combination, combinationKey } from "../../service/contract/contract.ts";
import { parsePrice, type Usd } from "../../service/contract/money.ts";
import { createMemory } from "../../service/same/memory.ts";
import { knowledgeOf } from "../facts/context.ts";

/*
 * What a machine costs an hour, as far as this ledger knows. A contradicted price judges no limit: the
 * highest of offer, record and balance counts. See price-doubt.ts.
 */

/** USD an hour of a machine: the higher of what its record shows and what its launch expected. */
export function priceOf(draft: Draft, row: DeploymentRow): Usd | undefined {
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  const doubts = intent && doubtsOf(draft, intent.profile);
  return prices.of(row, [intent, doubts], () => {
    const shown = higher(parsePrice(row.pricePerHour), parsePrice(intent?.pricePerHour ?? null));
    // The balance contradicted the records of this combination, so a record's price does not settle it.
    const doubt = intent && doubts && doubtOf(doubts, intent);
    return doubt?.by === "balance" ? higher(shown, parsePrice(doubt.costs)) : shown;
  });
}

const prices = createMemory<DeploymentRow, Usd | undefined>();

/** USD an hour of a launch whose machine shows no price of its own yet. */
export function expectedPrice(draft: Draft, intent: IntentRow): Usd | undefined {
  return knownPrice(doubtsOf(draft, intent.profile), intent, parsePrice(intent.pricePerHour));
}

/** USD an hour of what the budget counts: a machine, or a launch that may have made one. */
export function hourOf(draft: Draft, each: DeploymentRow | IntentRow): Usd | undefined {
  return "baseline" in each ? expectedPrice(draft, each) : priceOf(draft, each);
}

/** The higher of a price and what a machine of this combination was seen to cost. */
export function knownPrice(
  doubts: readonly PriceDoubt[],
  combination: Combination,
  price: Usd | undefined,
): Usd | undefined {
  return higher(price, parsePrice(doubtOf(doubts, combination)?.costs ?? null));
}

/** One array, so that what rests on it is remembered. */
const NONE: readonly PriceDoubt[] = [];

/** What launches under a profile were seen to cost beyond what they expected. */
export function doubtsOf(draft: Draft, profile: string): readonly PriceDoubt[] {
  return knowledgeOf(draft, profile).prices?.doubts ?? NONE;
}

/** True if the balance contradicted what launches of this combination expect. It counts while it stands. */
export function isDoubtedByBalance(draft: Draft, intent: IntentRow): boolean {
  return doubtOf(doubtsOf(draft, intent.profile), intent)?.by === "balance";
}

function doubtOf(doubts: readonly PriceDoubt[], combination: Combination): PriceDoubt | undefined {
  if (doubts.length === 0) return undefined;
  const key = combinationKey(combination);
  return doubts.find((each) => combinationKey(each) === key);
}

function higher(one: Usd | undefined, other: Usd | undefined): Usd | undefined {
  return one && other ? (one.gt(other) ? one : other) : (one ?? other);
}
