import Big from "big.js";
import type { Usd } from "./money.ts";

/** How the time of a machine is billed, in ms. Time counts by units as they begin. */
export interface Billing {
  readonly unit: number;
  /** What a machine that lives less costs all the same. */
  readonly minimum: number;
  /** What a launch takes from the balance in advance; 0: nothing that is known. */
  readonly reserved: number;
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
export const UNITS_MS = { second: 1000, minute: MINUTE_MS, hour: HOUR_MS } as const;

/** As the specification has it: an hour in advance. It alone says what is refunded, so nothing else is. */
const SPECIFIED: Billing = { unit: HOUR_MS, minimum: HOUR_MS, reserved: HOUR_MS };

export function billingOf(billing: Billing | undefined): Billing {
  return billing ?? SPECIFIED;
}

/** The time that has begun to be billed after so many ms. */
export function begunMs(billing: Billing | undefined, ms: number): number {
  const { unit, minimum } = billingOf(billing);
  return Math.max(minimum, (Math.floor(ms / unit) + 1) * unit);
}

/** What is paid at once for a time. What was taken in advance and is not used is given back when it is over. */
export function atOnceMs(billing: Billing | undefined, isOver: boolean): number {
  const { unit, minimum, reserved } = billingOf(billing);
  return Math.max(unit, minimum, isOver ? 0 : reserved);
}

/** What of a time is paid for, in ms, while it lasts or (`isOver`) when it is over. */
export function paidMs(billing: Billing | undefined, ms: number, isOver: boolean): number {
  const { unit } = billingOf(billing);
  const begun = isOver ? Math.ceil(ms / unit) * unit : begunMs(billing, ms);
  return Math.max(atOnceMs(billing, isOver), begun);
}

/** The price of a paid time. Beyond whole hours it is rounded up to the 4 decimals of a balance: never too little. */
export function priceOfTime(price: Usd, ms: number): Usd {
  if (ms % HOUR_MS === 0) return price.times(ms / HOUR_MS);
  return price.times(ms).div(HOUR_MS).round(4, Big.roundUp);
}

/** What a launch takes at once at this price an hour: in advance, or as its least. `ahead`: and in these ms. */
export function takenAtOnce(billing: Billing | undefined, price: Usd, ahead = 0): Usd {
  return priceOfTime(price, paidMs(billing, ahead, false));
}

/** The highest price an hour at which a launch takes no more than this at once. */
export function payableAtOnce(billing: Billing | undefined, amount: Usd, ahead = 0): Usd {
  const ms = paidMs(billing, ahead, false);
  return ms === HOUR_MS ? amount : amount.times(HOUR_MS).div(ms).round(4, Big.roundDown);
}

/** How an estimate counts, for people: `by whole hours as they begin`. */
export function billingText(billing: Billing | undefined): string {
  if (billing === undefined) return "by whole hours as they begin";
  const { unit, minimum } = billing;
  const least = minimum > unit ? `, at least ${timeText(minimum)} each` : "";
  return `by ${unit === HOUR_MS ? "hours" : unit === MINUTE_MS ? "minutes" : "seconds"} as they begin${least}`;
}

/** What a launch takes at once, for people: `a launch reserves the first hour`. */
export function atOnceText(billing: Billing | undefined): string {
  if (billing === undefined) return "a launch reserves the first hour";
  const { reserved, unit, minimum } = billing;
  return reserved >= Math.max(unit, minimum)
    ? `a launch reserves ${timeText(reserved)}`
    : `billed ${billingText(billing)}, a launch costs ${timeText(Math.max(unit, minimum))} at least`;
}

/** What is paid for at once, in a sentence about a machine. */
export function firstText(billing: Billing | undefined): string {
  return billing === undefined ? "the first hour" : "the least that a launch takes";
}

function timeText(ms: number): string {
  const unit = (["hour", "minute", "second"] as const).find((each) => ms % UNITS_MS[each] === 0) ?? "second";
  const count = ms / UNITS_MS[unit];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
