import type { Context } from "../../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../../launch/facts/occupancy.ts";
import { midnight, reserved } from "../../../launch/money/budget.ts";
import { hourOf } from "../../../launch/money/price.ts";
import { budgetsOver, spentUnder, whoseBudget } from "../../../launch/money/shared-budget.ts";
import {
  billsOf,
  countedBy,
  paidBy,
  stopLead,
  type TotalOf,
  unpricedOf,
} from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { age } from "../../../ledger/instant.ts";
import type { Owner } from "../../../ledger/rows.ts";
import { payableAtOnce } from "../../../service/contract/billing.ts";
import { amountText, parseUsd, type Usd, usdText, ZERO_USD } from "../../../service/contract/money.ts";
import { stopAhead } from "../wish/before-stop-wish.ts";
import type { Wish } from "../wish/wish.ts";

/** What launches may add, as a price an hour at which what they take at once can be paid. */
export interface RemainingBudget {
  readonly usd: Usd;
  /** The limit that leaves no more: `the budget of 45.00 USD an hour (36.64 are spent)`. */
  readonly why: string;
}

/**
 * What the budget leaves for launches, so that the chosen mix can be paid; undefined: no limit is set, or
 * what it leaves is not known. It admits nothing: the limits are checked again where an intent is written.
 */
export function remainingBudgetOf(
  draft: Draft,
  owner: Owner,
  wish: Wish,
  context: Context,
): RemainingBudget | undefined {
  return least([ownBudgetOf(draft, owner, wish, context), sharedBudgetOf(draft, owner, context)]);
}

/** By the limits of the fleet itself. */
export function ownBudgetOf(
  draft: Draft,
  owner: Owner,
  wish: Wish,
  context: Context,
): RemainingBudget | undefined {
  const { budget } = wish;
  return least([
    perHour(draft, owner, budget.perHour),
    ofBills(draft, owner, budget.perDay, context, "a day, until midnight UTC", {
      from: midnight(context),
    }),
    ofBills(draft, owner, budget.total, context, "in all", {
      ahead: stopLead(context.settings) + stopAhead(wish),
      of: budget.totalOf ?? "life",
    }),
    aboveFloor(draft, budget.floor, context),
  ]);
}

function least(limits: readonly (RemainingBudget | undefined)[]): RemainingBudget | undefined {
  return limits.reduce((one, other) =>
    one && other ? (other.usd.lt(one.usd) ? other : one) : (one ?? other),
  );
}

/** By the limits that others share. What is launched beside it may take it first. */
export function sharedBudgetOf(draft: Draft, owner: Owner, context: Context): RemainingBudget | undefined {
  const { billing } = draft.account;
  const limits = budgetsOver(draft, owner).flatMap((budget) => {
    const { today, ever } = spentUnder(draft, budget, context);
    return [
      lessSpent(draft, budget.perDay, today, `a day for ${whoseBudget(budget)}, until midnight UTC`),
      lessSpent(draft, budget.total, ever, `in all for ${whoseBudget(budget)}`),
    ];
  });
  const left = least([undefined, ...limits]);
  return left && { ...left, usd: payableAtOnce(billing, left.usd) };
}

function perHour(draft: Draft, owner: Owner, limit: string | undefined): RemainingBudget | undefined {
  if (limit === undefined) return undefined;
  let spent = ZERO_USD;
  for (const each of [...livingOf(draft, owner), ...unresolvedOf(draft, owner)]) {
    const price = hourOf(draft, each);
    if (price === undefined) return undefined;
    spent = spent.plus(price);
  }
  return lessSpent(draft, limit, spent, "an hour");
}

/** Of all bills that a total counts (`of`), or of those since `from`; with what falls due in the next `ahead` ms. */
function ofBills(
  draft: Draft,
  owner: Owner,
  limit: string | undefined,
  context: Context,
  unit: string,
  { from, ahead, of }: { readonly from?: number; readonly ahead?: number; readonly of?: TotalOf },
): RemainingBudget | undefined {
  if (limit === undefined) return undefined;
  const bills = billsOf(draft, owner, context, ahead);
  if (unpricedOf(bills).length > 0) return undefined;
  const spent = of ? countedBy(draft, owner, bills, of) : paidBy(draft, owner, bills, from);
  const { billing } = draft.account;
  const left = lessSpent(draft, limit, spent, unit);
  return left && { ...left, usd: payableAtOnce(billing, left.usd, ahead) };
}

function lessSpent(
  { account: { currency } }: Draft,
  limit: string | undefined,
  spent: Usd,
  unit: string,
): RemainingBudget | undefined {
  const most = limit === undefined ? undefined : parseUsd(limit);
  const already = spent.gt(0) ? ` (${usdText(spent)} are spent)` : "";
  return (
    most && { usd: most.minus(spent), why: `the budget of ${amountText(most, currency)} ${unit}${already}` }
  );
}

function aboveFloor(draft: Draft, limit: string | undefined, context: Context): RemainingBudget | undefined {
  const floor = limit === undefined ? undefined : parseUsd(limit);
  const { balance, currency, billing } = draft.account;
  const amount = balance === null ? undefined : parseUsd(balance.amount);
  if (floor === undefined || balance === null || amount === undefined) return undefined;
  if (age(balance.begun, context.now) > context.settings.poll) return undefined;
  const taken = reserved(draft, context);
  const less = taken.gt(0)
    ? `the floor of ${usdText(floor)} and ${usdText(taken)} for what was just launched`
    : `the floor of ${usdText(floor)}`;
  return {
    usd: payableAtOnce(billing, amount.minus(taken).minus(floor)),
    why: `the balance of ${amountText(amount, currency)}, less ${less},`,
  };
}
