import { USD } from "../../../service/contract/money.ts";

/** Names of prices that are not of an hour. No key of a profile converts them. */
const OTHER_TIMES =
  /^(month|monthly|day|daily|week|weekly|year|yearly|annual|annually|minute|minutely|second|secondly|sec)$/;
const CENTS = /^cents?$/;
const DOLLARS = /^(usd|dollars?)$/;
const GPU = /^gpus?$/;
const WHOLE = /^(total|machine|instance|node|server)$/;

export function isInCentsByName(names: readonly string[]): boolean {
  return names.some((word) => CENTS.test(word));
}

/** "Price an hour, in US cents": but not "in dollars, not in cents". */
export function isInCentsByText(text: string): boolean {
  return (
    /\bcents?\b|¢|minor unit|smallest (currency )?unit/i.test(text) && !/\bnot\b|\bdollars\b/i.test(text)
  );
}

export function isPerGpuByText(text: string): boolean {
  return /\b(per|a|each|one|single)[ -]gpu\b|\/ ?gpu\b|\bgpu[ -]hour/i.test(text);
}

/** Of a GB of disk, a core, or in a unit that no profile knows. */
export function isOfPartByText(text: string): boolean {
  return /\b(per|a|each|one)[ -](v?cpu|core|[gmt]i?b|gigabyte|terabyte)\b|\/ ?([gmt]i?b|v?cpu)\b|\b(micro|nano|milli(?!on))/i.test(
    text,
  );
}

export function isPerGpuByName(names: readonly string[]): boolean {
  return names.some((word) => GPU.test(word)) && !names.some((word) => WHOLE.test(word));
}

/**
 * The word that speaks of another time than an hour. `min_price` is the least price, and `price_per_min` that of a minute.
 * `price_per_gpu_hour_min` is the least price of an hour.
 */
export function otherTimeOf(names: readonly string[]): string | undefined {
  if (names.some((word) => /^(hour|hourly|hr)$/.test(word))) return undefined;
  return names.find((word, at) => OTHER_TIMES.test(word) || (word === "min" && names[at - 1] === "per"));
}

/** How a profile reads a price, and what its name says otherwise. */
export interface PriceReading {
  readonly field: "pricePerHour" | "pricePerGpuHour";
  readonly inCents: boolean;
}

/** What the profile would say if the name is right; undefined: the name says nothing else than the profile. */
export function readingByName(
  { field, inCents }: PriceReading,
  names: readonly string[],
): PriceReading | undefined {
  const cents = isInCentsByName(names) || (inCents && !names.some((word) => DOLLARS.test(word)));
  const isWhole = field === "pricePerGpuHour" && !names.some((word) => WHOLE.test(word));
  const byName: PriceReading = {
    field: isPerGpuByName(names) || isWhole ? "pricePerGpuHour" : "pricePerHour",
    inCents: cents,
  };
  return byName.field === field && byName.inCents === inCents ? undefined : byName;
}

/** `US cents an hour of one GPU`. */
export function readingText({ field, inCents }: PriceReading, currency: string = USD): string {
  const cents = currency === USD ? "US cents" : `cents of ${currency}`;
  return `${inCents ? cents : currency} an hour of ${field === "pricePerHour" ? "the whole machine" : "one GPU"}`;
}
