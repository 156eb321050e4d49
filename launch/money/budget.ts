import type { Draft } from "../../ledger/draft.ts";
import { age, DAY_MS, elapsed, HOUR_MS } from "../../ledger/instant.ts";
import type { IntentRow, Owner } from "../../ledger/rows.ts";
import { takenAtOnce } from "../../service/contract/billing.ts";
import { combinationText } from "../../service/contract/contract.ts";
import { parsePrice, parseUsd, type Usd, usdText, ZERO_USD } from "../../service/contract/money.ts";
import type { Context } from "../facts/context.ts";
import { type Hold, hold, inCurrency } from "../facts/hold.ts";
import { livingOf, unresolvedOf } from "../facts/occupancy.ts";
import { expectedPrice, hourOf } from "./price.ts";
import { type Bill, billsOf, countedBy, paidBy, stopLead, sumOf, type TotalOf, unpricedOf } from "./spend.ts";

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
  /** How much earlier than a stop takes the agent drains for the total, in ms. Absent: no earlier. */
  readonly ahead?: number;
  /** Cost of machines that ended within their first hour, in 24 hours. At this sum launches stop. */
  readonly churn?: Usd | undefined;
}

/** What launches took at once that the newest balance may not show yet. The balance less this is left to spend. */
export function reserved(draft: Draft, context: Context): Usd {
  let sum = ZERO_USD;
  for (const intent of draft.intents.values()) {
    if (mayBeUnshown(draft, intent, context))
      sum = sum.plus(takenAtOnce(draft.account.billing, expectedPrice(draft, intent) ?? ZERO_USD));
  }
  return sum;
}

/** True if the newest balance may not show what some launch took, whether or not its price is known. */
export function isReserving(draft: Draft, context: Context): boolean {
  return [...draft.intents.values()].some((intent) => mayBeUnshown(draft, intent, context));
}

/** A launch as far as its price is concerned. */
export interface Priced {
  readonly owner: Owner;
  readonly gpus: number;
  readonly pricePerHour: string | null;
  readonly limits: SpendLimits;
}

/** The reason why this launch would break a limit, or undefined. */
export function overBudget(draft: Draft, wish: Priced, context: Context): Hold | undefined {
  const { pricePerHour, limits } = wish;
  if (Object.values(limits).every((limit) => limit === undefined)) return undefined;
  const price = parsePrice(pricePerHour);
  if (price === undefined) return hold("unpriced", { of: "this offer" });
  const held =
    overGpuPrice(price, wish) ??
    overHour(draft, price, wish) ??
    overSum(draft, price, wish, context) ??
    belowFloor(draft, price, limits, context);
  return held && inCurrency(held, draft.account);
}

function overGpuPrice(price: Usd, { gpus, limits }: Priced): Hold | undefined {
  const { perGpuHour } = limits;
  if (perGpuHour === undefined || price.lte(perGpuHour.times(gpus))) return undefined;
  return hold("perGpuHour", {
    price: usdText(price),
    gpus: `${gpus} GPU${gpus === 1 ? "" : "s"}`,
    limit: usdText(perGpuHour),
  });
}

function overHour(draft: Draft, price: Usd, { owner, limits }: Priced): Hold | undefined {
  if (limits.perHour === undefined) return undefined;
  // A machine that has been stopping for too long leaves the count, but still bills.
  const burning = [...livingOf(draft, owner), ...unresolvedOf(draft, owner)];
  let sum = price;
  for (const each of burning) {
    const known = hourOf(draft, each);
    if (known === undefined) {
      const of = "baseline" in each ? `the launch of ${combinationText(each)}` : each.id;
      return hold("unpricedHour", { of, wayOn: wayOn(draft, of) });
    }
    sum = sum.plus(known);
  }
  if (sum.lte(limits.perHour)) return undefined;
  return hold("perHour", { sum: usdText(sum), limit: usdText(limits.perHour) });
}

/** The limits that count what was paid for so far. */
function overSum(draft: Draft, price: Usd, { owner, limits }: Priced, context: Context): Hold | undefined {
  const { perDay, total, totalOf, churn } = limits;
  const { billing } = draft.account;
  if (perDay === undefined && total === undefined && churn === undefined) return undefined;
  const bills = billsOf(draft, owner, context);
  const today = bills.filter(({ from, lasted }) => from + lasted >= midnight(context));
  const unlived = bills.filter((bill) => diedYoung(bill, context));
  const counted = total !== undefined ? bills : perDay !== undefined ? [...today, ...unlived] : unlived;
  const [unpriced] = unpricedOf(counted);
  if (unpriced) return hold("unpricedSum", { of: unpriced.of, wayOn: wayOn(draft, unpriced.of) });
  if (perDay !== undefined) {
    const sum = paidBy(draft, owner, bills, midnight(context)).plus(takenAtOnce(billing, price));
    if (sum.gt(perDay)) return hold("perDay", { sum: usdText(sum), limit: usdText(perDay) });
  }
  if (total !== undefined) {
    // Counts the hours that begin before the fleet can be drained: no launch may be the reason to drain it.
    const lead = stopLead(context.settings) + (limits.ahead ?? 0);
    const ahead = billsOf(draft, owner, context, lead);
    const sum = countedBy(draft, owner, ahead, totalOf).plus(takenAtOnce(billing, price, lead));
    if (sum.gt(total)) return hold("total", { sum: usdText(sum), limit: usdText(total) });
  }
  const lost = sumOf(unlived);
  if (churn !== undefined && lost.gte(churn))
    return hold("churn", { lost: usdText(lost), limit: usdText(churn) });
  return undefined;
}

/** A launch without a price resolves by itself. A machine without one stays in the way. */
export function wayOn(draft: Draft, of: string): string {
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

function belowFloor(draft: Draft, price: Usd, { floor }: SpendLimits, context: Context): Hold | undefined {
  if (floor === undefined) return undefined;
  if (context.wire.abilities.balance === false) return hold("noBalance", {});
  const { balance } = draft.account;
  if (balance === null || age(balance.begun, context.now) > context.settings.poll) {
    return hold("oldBalance", {});
  }
  const unpriced = [...draft.intents.values()].some(
    (intent) => mayBeUnshown(draft, intent, context) && expectedPrice(draft, intent) === undefined,
  );
  if (unpriced) return hold("unshown", {});
  const taken = reserved(draft, context).plus(takenAtOnce(draft.account.billing, price));
  const left = (parseUsd(balance.amount) ?? ZERO_USD).minus(taken);
  if (left.gte(floor)) return undefined;
  return hold("floor", { rest: usdText(left), limit: usdText(floor) });
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
