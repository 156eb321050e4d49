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

/** What one machine costs. Times are milliseconds. Sums are exact and have 4 decimals at most. */
export interface Bill {
  readonly pricePerHour: Usd;
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
    terms,
    reserved: terms ? priceOf(pricePerHour, terms.reservedMs) : pricePerHour,
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
export function costOf(pricePerHour: Usd, ms: number): Usd {
  return priceOf(pricePerHour, Math.ceil(Math.max(0, ms) / 1000) * 1000);
}

function priceOf(pricePerHour: Usd, ms: number): Usd {
  return pricePerHour.times(ms).div(HOUR_MS).round(4, Big.roundHalfUp);
}

/** What a machine costs by these terms that has been there for so long. */
export function costByTerms(pricePerHour: Usd, { unitMs, minimumMs }: Terms, ms: number): Usd {
  return priceOf(pricePerHour, Math.max(minimumMs, unitMs, Math.ceil(ms / unitMs) * unitMs));
}

/** What was taken beyond the first hour until `at`, posted or not yet. */
export function usageAt(bill: Bill, at: number): Usd {
  if (!bill.burning || bill.usedFrom === undefined) return bill.usage;
  const { terms, pricePerHour } = bill;
  const used = at - bill.usedFrom;
  const cost = terms ? costByTerms(pricePerHour, terms, used) : costOf(pricePerHour, used);
  const beyond = cost.minus(bill.reserved);
  return beyond.gt(bill.usage) ? beyond : bill.usage;
}

/** How long the machine was in use until `at`. */
export function usedMs(bill: Bill, at: number): number {
  return bill.usedFrom === undefined ? 0 : Math.max(0, Math.min(at, bill.usedUntil ?? at) - bill.usedFrom);
}
