import Big from "big.js";

/** USD as an exact decimal. Never a binary fraction: 0.1 + 0.2 is 0.3 here. */
export type Usd = Big;

export const ZERO_USD: Usd = new Big(0);

/** Reads a plain decimal such as `12.3400`; undefined for anything else (exponents and signs other than `-` included). */
export function parseUsd(text: string): Usd | undefined {
  return /^-?\d{1,15}(\.\d{1,12})?$/.test(text) ? new Big(text) : undefined;
}

/** As the service writes it: 4 decimal places (specification, section 8); half away from zero. */
export function formatUsd(amount: Usd): string {
  return amount.toFixed(4, Big.roundHalfUp);
}
