import type { Draft } from "../ledger/draft.ts";
import { age, elapsed } from "../ledger/instant.ts";
import type { IntentRow } from "../ledger/rows.ts";
import type { Usd } from "../service/money.ts";
import { parseUsd, ZERO_USD } from "../service/money.ts";
import type { Context } from "./context.ts";

/** What a launch may cost. Where a limit is set, a machine of unknown price is not launched. USD. */
export interface Limits {
  /** The balance, less what is reserved, never goes below this by a launch. */
  readonly floor?: Usd | undefined;
  /** All machines of the owner together, an hour. */
  readonly perHour?: Usd | undefined;
}

/** First hours that a balance read so far may not show yet: the balance less this is what is left to spend. */
export function reserved(draft: Draft, context: Context): Usd {
  let sum = ZERO_USD;
  for (const intent of draft.intents.values()) {
    if (mayBeUnshown(draft, intent, context)) sum = sum.plus(priceOf(intent.pricePerHour) ?? ZERO_USD);
  }
  return sum;
}

/** The reason why this launch would break a limit, or undefined. */
export function overBudget(
  draft: Draft,
  context: Context,
  limits: Limits,
  pricePerHour: string | null,
  burning: readonly (string | null)[],
): string | undefined {
  if (limits.floor === undefined && limits.perHour === undefined) return undefined;
  const price = priceOf(pricePerHour);
  if (price === undefined) return "a budget is set, and the price of this offer is not known";
  if (limits.perHour !== undefined) {
    let sum = price;
    for (const each of burning) {
      const known = priceOf(each);
      if (known === undefined)
        return "a budget per hour is set, and the price of a machine that runs is not known";
      sum = sum.plus(known);
    }
    if (sum.gt(limits.perHour))
      return `${sum} USD an hour would be above the budget of ${limits.perHour} an hour`;
  }
  if (limits.floor !== undefined) {
    const { balance } = draft.account;
    if (balance === null || age(balance.begun, context.now) > context.settings.poll) {
      return "a floor is set, and the balance has not been read just now";
    }
    const unpriced = [...draft.intents.values()].some(
      (intent) => mayBeUnshown(draft, intent, context) && priceOf(intent.pricePerHour) === undefined,
    );
    if (unpriced) return "a floor is set, and what a launch of unknown price has cost does not show yet";
    const left = (parseUsd(balance.amount) ?? ZERO_USD).minus(reserved(draft, context)).minus(price);
    if (left.lt(limits.floor)) {
      return `the balance would fall to ${left.toFixed(4)} USD, below the floor of ${limits.floor.toFixed(4)}`;
    }
  }
  return undefined;
}

function priceOf(text: string | null): Usd | undefined {
  const price = text === null ? undefined : parseUsd(text);
  return price?.lt(0) ? undefined : price;
}

/**
 * A reservation lasts until a balance read that was begun one settle time after the answer, or after the moment when
 * looking resolved it: by then the service has taken what it takes.
 */
function mayBeUnshown(draft: Draft, intent: IntentRow, context: Context): boolean {
  if (intent.state === "open") return true;
  if (intent.state === "rejected" || intent.state === "notSent") return false;
  const { balance } = draft.account;
  return (
    balance === null ||
    intent.resolved === null ||
    elapsed(intent.resolved, balance.begun) < context.settings.settle
  );
}
