/**
 * A moment that a service shows as a number, in ms since 1970: 10 digits are seconds, and 13 are milliseconds. Undefined: it
 * may be anything, and is shown as it is.
 */
export function epochOf(shown: string | null): number | undefined {
  if (shown === null || !/^[1-9](\d{9}|\d{12})$/.test(shown)) return undefined;
  return Number(shown) * (shown.length === 10 ? 1000 : 1);
}
