import Big from "big.js";

/** An amount of USD, or of the profile's currency, as an exact decimal: 0.1 + 0.2 is 0.3 here. */
export type Usd = Big;

export const ZERO_USD: Usd = new Big(0);

/** Reads a plain decimal such as `12.3400`. Undefined for anything else, also exponents and a plus sign. */
export function parseUsd(text: string): Usd | undefined {
  return /^-?\d{1,15}(\.\d{1,12})?$/.test(text) ? new Big(text) : undefined;
}

/**
 * Reads a price. Undefined also for one that is below 0, or that is 0 in the service's 4 decimals: who believes it
 * judges every limit by nothing.
 */
export function parsePrice(text: string | null | undefined): Usd | undefined {
  const price = parseUsd(text ?? "");
  return price?.round(4, Big.roundHalfUp).gt(0) ? price : undefined;
}

export const NO_PRICE =
  "expected an amount above 0, such as 2.49 (0 is no price: leave it out if nobody knows it)";

/**
 * A price that {@link parseUsd} can read, from any plain decimal; undefined if it is too large. `2.49 * 3` is
 * written `7.470000000000001`: the digits after the 15th are a binary fraction's error. They are taken off,
 * or the price would break a limit of 7.47. What is left beyond 12 places is rounded up: never too little.
 */
export function plainPrice(text: string): string | undefined {
  if (parseUsd(text)) return text;
  const price = new Big(text).prec(15, Big.roundHalfUp).round(12, Big.roundUp).toFixed();
  return parseUsd(price) && price;
}

/** For people: `2.70`, `2.375`. Two decimals, up to four where two say another amount. Unknown: `?`. */
export function usdText(amount: Usd | string | null | undefined): string {
  const value = typeof amount === "string" ? parseUsd(amount) : amount;
  return value ? formatUsd(value).replace(/0{1,2}$/, "") : "?";
}

export const USD = "USD";

/** For people: `2.70 EUR`. All amounts of an account are in the currency of its profile; undefined: USD. */
export function amountText(amount: Usd | string | null | undefined, currency: string = USD): string {
  return `${usdText(amount)} ${currency}`;
}

/** As the service writes it: 4 decimal places (specification, section 8). Half is rounded away from zero. */
export function formatUsd(amount: Usd): string {
  return amount.toFixed(4, Big.roundHalfUp);
}
