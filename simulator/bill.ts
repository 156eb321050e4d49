import Big from "big.js";
import { type Usd, ZERO_USD } from "../service/contract/money.ts";

export const HOUR_MS = 3_600_000;

/**
 * What a profile says of billing, in milliseconds, where this service has it: time counts from the launch to the very end,
 * by units as they begin. Harder than any client may hope for.
 */
export interface Terms {
  readonly unitMs: number;
  readonly minimumMs: number;
  readonly reservedMs: number;
}

interface Rate {
  readonly from: number;
  readonly pricePerHour: Usd;
}

/** What one machine costs. Times are milliseconds. Sums are exact and have 4 decimals at most. */
export interface Bill {
  /** As answers show it now. */
  pricePerHour: Usd;
  /** From which ms of its use on which price counts, in order. The first is that of its launch. */
  readonly rates: Rate[];
  /** Undefined: as the specification has it. */
  readonly terms: Terms | undefined;
  /** The first hour, or what the terms say, taken at launch. */
  readonly reserved: Usd;
  /** What was taken beyond the first hour, as far as it is posted. See `usageAt`. */
  usage: Usd;
  refunded: Usd;
  /** When the machine began to run: it is paid for from then on. Undefined before that. */
  usedFrom: number | undefined;
  /** When its use ended. Undefined before that. */
  usedUntil: number | undefined;
  /** Only if seconds are billed: the machine is beyond its first hour, and its cost grows with time. */
  burning: boolean;
  /** What a stop that is under way will pay back. */
  refundDue: Usd;
}

export function newBill(pricePerHour: Usd, terms?: Terms): Bill {
  return {
    pricePerHour,
    rates: [{ from: 0, pricePerHour }],
    terms,
    reserved: terms ? rounded(pricePerHour.times(terms.reservedMs)) : pricePerHour,
    usage: ZERO_USD,
    refunded: ZERO_USD,
    usedFrom: undefined,
    usedUntil: undefined,
    burning: false,
    refundDue: ZERO_USD,
  };
}

/**
 * The price of a time, by started seconds, rounded to 4 decimals. It depends on the whole time only: rounding
 * cannot change a sum when the balance is looked at more often.
 */
export function costOf({ rates }: Bill, ms: number): Usd {
  return priceOf(rates, Math.ceil(Math.max(0, ms) / 1000) * 1000);
}

function priceOf(rates: readonly Rate[], ms: number): Usd {
  return rounded(
    rates.reduce((sum, { from, pricePerHour }, index) => {
      const until = Math.min(ms, rates[index + 1]?.from ?? ms);
      return until > from ? sum.plus(pricePerHour.times(until - from)) : sum;
    }, ZERO_USD),
  );
}

function rounded(priceTimesMs: Usd): Usd {
  return priceTimesMs.div(HOUR_MS).round(4, Big.roundHalfUp);
}

/** Another price counts from the next second, hour or unit of its use on, and not for the time that its launch paid. */
export function changePrice(bill: Bill, pricePerHour: Usd, at: number, unitMs: number): void {
  const { terms, rates } = bill;
  const paid = terms ? Math.max(terms.reservedMs, terms.minimumMs) : HOUR_MS;
  const unit = terms?.unitMs ?? unitMs;
  const from = Math.max(paid, (Math.floor(usedMs(bill, at) / unit) + 1) * unit);
  while ((rates.at(-1)?.from ?? 0) >= from) rates.pop();
  rates.push({ from, pricePerHour });
  bill.pricePerHour = pricePerHour;
}

/** What the hour costs that begins now. */
export function rateAt(bill: Bill, at: number): Usd {
  const used = usedMs(bill, at);
  return bill.rates.findLast(({ from }) => from <= used)?.pricePerHour ?? bill.pricePerHour;
}

/** What a machine costs by these terms that has been there for so long. */
export function costByTerms({ rates }: Bill, { unitMs, minimumMs }: Terms, ms: number): Usd {
  return priceOf(rates, Math.max(minimumMs, unitMs, Math.ceil(ms / unitMs) * unitMs));
}

/** What was taken beyond the first hour until `at`, posted or not yet. */
export function usageAt(bill: Bill, at: number): Usd {
  if (!bill.burning || bill.usedFrom === undefined) return bill.usage;
  const { terms } = bill;
  const used = at - bill.usedFrom;
  const cost = terms ? costByTerms(bill, terms, used) : costOf(bill, used);
  const beyond = cost.minus(bill.reserved);
  return beyond.gt(bill.usage) ? beyond : bill.usage;
}

/** How long the machine was in use until `at`. */
export function usedMs(bill: Bill, at: number): number {
  return bill.usedFrom === undefined ? 0 : Math.max(0, Math.min(at, bill.usedUntil ?? at) - bill.usedFrom);
}
