import Big from "big.js";
import { type Usd, ZERO_USD } from "../service/money.ts";

export const HOUR_MS = 3_600_000;

/** What one machine costs. All times are milliseconds; all sums are exact and have 4 decimals at most. */
export interface Bill {
  readonly pricePerHour: Usd;
  /** The first hour, taken at launch. */
  readonly reserved: Usd;
  /** What was taken beyond the first hour, as far as it is posted (see usageAt). */
  usage: Usd;
  refunded: Usd;
  /** The machine is paid for from here (it began to run); undefined before that. */
  usedFrom: number | undefined;
  /** Where its use ended; undefined while it goes on. */
  usedUntil: number | undefined;
  /** With seconds billed: it is beyond its first hour and burns the balance as time passes. */
  burning: boolean;
  /** Owed back at a stop that is under way. */
  refundDue: Usd;
}

export function newBill(pricePerHour: Usd): Bill {
  return {
    pricePerHour,
    reserved: pricePerHour,
    usage: ZERO_USD,
    refunded: ZERO_USD,
    usedFrom: undefined,
    usedUntil: undefined,
    burning: false,
    refundDue: ZERO_USD,
  };
}

/**
 * The price of a time, by started seconds, to 4 decimals. It depends on the whole time only, so that looking
 * at the balance more often can never change a sum by rounding.
 */
export function costOf(pricePerHour: Usd, ms: number): Usd {
  const seconds = Math.ceil(Math.max(0, ms) / 1000);
  return pricePerHour.times(seconds).div(3600).round(4, Big.roundHalfUp);
}

/** What was taken beyond the first hour up to this moment, posted or still running up. */
export function usageAt(bill: Bill, at: number): Usd {
  if (!bill.burning || bill.usedFrom === undefined) return bill.usage;
  const beyond = costOf(bill.pricePerHour, at - bill.usedFrom).minus(bill.reserved);
  return beyond.gt(bill.usage) ? beyond : bill.usage;
}

/** How long it was in use up to this moment. */
export function usedMs(bill: Bill, at: number): number {
  return bill.usedFrom === undefined ? 0 : Math.max(0, Math.min(at, bill.usedUntil ?? at) - bill.usedFrom);
}
