import Big from "big.js";
import type { Json } from "./service.ts";

/**
 * Parses JSON without losing a digit: a number that JavaScript would change or spell differently (`0.10`, `1e3`, a 20-digit
 * id) stays the exact text it was written as. Only safe integers that print as they were written become numbers.
 */
export function parseJson(text: string): Json {
  return JSON.parse(text, keepExact as Reviver) as Json;
}

type Reviver = (key: string, value: unknown) => unknown;

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  return Number.isSafeInteger(value) && String(value) === source ? value : source;
}

// The readers answer undefined for a value that is not of their kind; who calls knows which field that was.

/** A text, or a number as it was written (ids come as either). Empty texts say nothing: undefined. */
export function readText(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A plain decimal such as `1.50`, exact, without an exponent. */
export function readDecimal(value: Json | undefined): string | undefined {
  const text = readText(value);
  if (text === undefined) return undefined;
  if (/^-?\d{1,30}(\.\d{1,30})?$/.test(text)) return text;
  // Two digits of exponent keep a hostile 1e999999 from becoming a million digits.
  return /^-?\d{1,30}(\.\d{1,30})?[eE][+-]?\d{1,2}$/.test(text) ? new Big(text).toFixed() : undefined;
}

/** A safe integer, as a number or as its digits; `2.0` is 2. */
export function readInteger(value: Json | undefined): number | undefined {
  const text = readDecimal(value);
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** `true` or `false`, or a number of which 0 means none. */
export function readBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === "true") return true;
  if (value === "false") return false;
  const text = readDecimal(value);
  return text === undefined ? undefined : new Big(text).gt(0);
}

/** The same text for values that mean the same: keys sorted, no blanks. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
