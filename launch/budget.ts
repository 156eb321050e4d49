import type { Draft } from "../ledger/draft.ts";
import { age, DAY_MS, elapsed, HOUR_MS } from "../ledger/instant.ts";
import type { IntentRow, Owner } from "../ledger/rows.ts";
import { place } from "../service/contract.ts";
import type { Usd } from "../service/money.ts";
import { parsePrice, parseUsd, usdText, ZERO_USD } from "../service/money.ts";
import type { Context } from "./context.ts";
import { livingOf, unresolvedOf } from "./occupancy.ts";
import { expectedPrice, hourOf } from "./price.ts";
import type { Bill, TotalOf } from "./spend.ts";
import { billsOf, countedBy, paidBy, stopLead, sumOf, unpricedOf } from "./spend.ts";

/** What a launch may cost, in USD. Where a limit is set, a machine of unknown price is not launched. */
export interface SpendLimits {
  /** No launch takes the balance, less what is reserved, below this. */
  readonly floor?: Usd | undefined;
  /** All machines of the owner together, an hour. */
  readonly perHour?: Usd | undefined;
  /** One GPU, an hour. */
  readonly perGpuHour?: Usd | undefined;
  /** All that the owner pays on one day of UTC. An hour counts on the day it begins. What runs goes on. */
  readonly perDay?: Usd | undefined;
  /** All that the owner pays in this life. The agent, not this room, drains the fleet before it is passed. */
  readonly total?: Usd | undefined;
  /** Whose sum the total is. */
  readonly totalOf?: TotalOf | undefined;
  /** Cost of machines that ended within their first hour, in 24 hours. At this sum launches stop. */
  readonly churn?: Usd | undefined;
}

/** First hours that the newest balance may not show yet. The balance less this is left to spend. */
export function reserved(draft: Draft, context: Context): Usd {
  let sum = ZERO_USD;
  for (const intent of draft.intents.values()) {
    if (mayBeUnshown(draft, intent, context)) sum = sum.plus(expectedPrice(draft, intent) ?? ZERO_USD);
  }
  return sum;
}

/** True if the newest balance may not show what some launch took, whether or not its price is known. */
export function isReserving(draft: Draft, context: Context): boolean {
  return [...draft.intents.values()].some((intent) => mayBeUnshown(draft, intent, context));
}

/** What to do where a budget is set and a price is not known. */
export const NAME_PRICE =
  "set its pricePerHour beside offer, provider and location, or map offers.fields.pricePerHour in the profile. A price of 0 is none";

/** A launch as far as its price is concerned. */
export interface Priced {
  readonly owner: Owner;
  readonly gpus: number;
  readonly pricePerHour: string | null;
  readonly limits: SpendLimits;
}

/** The reason why this launch would break a limit, or undefined. */
export function overBudget(draft: Draft, context: Context, wish: Priced): string | undefined {
  const { pricePerHour, limits } = wish;
  if (Object.values(limits).every((limit) => limit === undefined)) return undefined;
  const price = parsePrice(pricePerHour);
  if (price === undefined) return `a budget is set, and the price of this offer is not known: ${NAME_PRICE}`;
  return (
    overGpuPrice(price, wish) ??
    overHour(draft, price, wish) ??
    overSum(draft, context, price, wish) ??
    belowFloor(draft, context, price, limits)
  );
}

function overGpuPrice(price: Usd, { gpus, limits }: Priced): string | undefined {
  const { perGpuHour } = limits;
  if (perGpuHour === undefined || price.lte(perGpuHour.times(gpus))) return undefined;
  return `${usdText(price)} USD an hour for ${gpus} GPU${gpus === 1 ? "" : "s"} would be above the budget of ${usdText(perGpuHour)} a GPU and hour`;
}

function overHour(draft: Draft, price: Usd, { owner, limits }: Priced): string | undefined {
  if (limits.perHour === undefined) return undefined;
  // A machine that has been stopping for too long leaves the count, but still bills.
  const burning = [...livingOf(draft, owner), ...unresolvedOf(draft, owner)];
  let sum = price;
  for (const each of burning) {
    const known = hourOf(draft, each);
    if (known === undefined) {
      const of = "baseline" in each ? `the launch of ${place(each)}` : each.id;
      return `a budget per hour is set, and nobody knows the price of ${of}, which is paid for${wayOn(draft, of)}`;
    }
    sum = sum.plus(known);
  }
  if (sum.lte(limits.perHour)) return undefined;
  return `${usdText(sum)} USD an hour would be above the budget of ${usdText(limits.perHour)} an hour`;
}

/** The limits that count what was paid for so far. */
function overSum(draft: Draft, context: Context, price: Usd, { owner, limits }: Priced): string | undefined {
  const { perDay, total, totalOf, churn } = limits;
  if (perDay === undefined && total === undefined && churn === undefined) return undefined;
  const bills = billsOf(draft, owner, context);
  const today = bills.filter(({ from, lasted }) => from + lasted >= midnight(context));
  const unlived = bills.filter((bill) => diedYoung(bill, context));
  const counted = total !== undefined ? bills : perDay !== undefined ? [...today, ...unlived] : unlived;
  const [unpriced] = unpricedOf(counted);
  if (unpriced)
    return `a budget over time is set, and nobody knows the price of ${unpriced.of}, which counts towards it${wayOn(draft, unpriced.of)}`;
  if (perDay !== undefined) {
    const sum = paidBy(draft, owner, bills, midnight(context)).plus(price);
    if (sum.gt(perDay))
      return `${usdText(sum)} USD on this day (until midnight UTC) would be above the budget of ${usdText(perDay)} a day`;
  }
  if (total !== undefined) {
    // Counts the hours that begin before the fleet can be drained: no launch may be the reason to drain it.
    const ahead = billsOf(draft, owner, context, stopLead(context.settings));
    const sum = countedBy(draft, owner, ahead, totalOf).plus(price);
    if (sum.gt(total)) return `${usdText(sum)} USD in all would be above the total of ${usdText(total)}`;
  }
  const lost = sumOf(unlived);
  if (churn !== undefined && lost.gte(churn))
    return `${usdText(lost)} USD went in 24 hours into machines that did not live for an hour: the budget for churn is ${usdText(churn)}`;
  return undefined;
}

/** A launch without a price resolves by itself. A machine without one stays in the way. */
function wayOn(draft: Draft, of: string): string {
  if (draft.deployments.ever(of) === undefined) return "";
  return `: map deployments.fields.pricePerHour in the profile, or fleetkeeper disown ${of}, which counts for nothing then`;
}

/** Wall time at which this day begins, in UTC as all times of the service. */
export function midnight({ now }: Context): number {
  return Math.floor(now.wall / DAY_MS) * DAY_MS;
}

/** True if it ended within its first hour, and within the last day. */
export function diedYoung({ ended, lasted, refund }: Bill, { now }: Context): boolean {
  return ended !== undefined && refund !== "all" && lasted < HOUR_MS && elapsed(ended, now) < DAY_MS;
}

function belowFloor(draft: Draft, context: Context, price: Usd, { floor }: SpendLimits): string | undefined {
  if (floor === undefined) return undefined;
  const { balance } = draft.account;
  if (balance === null || age(balance.begun, context.now) > context.settings.poll) {
    return "a floor is set, and the balance has not been read just now";
  }
  const unpriced = [...draft.intents.values()].some(
    (intent) => mayBeUnshown(draft, intent, context) && expectedPrice(draft, intent) === undefined,
  );
  if (unpriced) return "a floor is set, and what a launch of unknown price has cost does not show yet";
  const left = (parseUsd(balance.amount) ?? ZERO_USD).minus(reserved(draft, context)).minus(price);
  if (left.gte(floor)) return undefined;
  return `the balance would fall to ${usdText(left)} USD, below the floor of ${usdText(floor)}`;
}

/**
 * A launch stays reserved until a balance is read one settle time after it was resolved. By then the service
 * has taken the first hour.
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
