import Big from "big.js";
import { LONGEST_NAME } from "../contract/limits.ts";
import type { Json } from "../contract/service.ts";

/**
 * Parses JSON without losing a digit. A safe integer is a number, however it is written (`1.0`, `1e3`). Any
 * other number (`0.10`, 20 digits) stays the text as written.
 */
export function parseJson(text: string): Json {
  return JSON.parse(text, keepExact as Reviver) as Json;
}

/** Undefined: it is no JSON. */
export function jsonOr(text: string, parse: (text: string) => unknown = JSON.parse): Json | undefined {
  try {
    return parse(text) as Json;
  } catch {
    return undefined;
  }
}

type Reviver = (key: string, value: unknown) => unknown;

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value !== "number" || Number.isSafeInteger(value) ? value : (context?.source ?? value);
}

/**
 * As {@link parseJson}, at a fraction of the cost: a function is called for few values or for none. But `read`
 * must throw InexactNumber for a number that is no safe integer, wherever it needs one.
 */
export function readJson<T>(text: string, read: (json: Json) => T, cost: JsonCost): T {
  for (; cost.least < CHEAP_PARSERS.length; cost.least++)
    try {
      return read((CHEAP_PARSERS[cost.least] as Parser)(text));
    } catch (error) {
      if (!(error instanceof InexactNumber)) throw error;
    }
  return read(parseJson(text));
}

/** What texts of one kind have cost at least so far: it need not be found out for each. */
export interface JsonCost {
  least: number;
}

/** `JSON.parse` may have changed this number, and it is needed. */
class InexactNumber extends Error {}

export function demandExact(value: Json | undefined): void {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new InexactNumber();
}

type Parser = (text: string) => Json;

/** The cheapest first. */
const CHEAP_PARSERS: readonly Parser[] = [
  (text) => JSON.parse(text) as Json,
  (text) => JSON.parse(text.replace(FRACTION_OF_A_KEY, quoteInexact)) as Json,
];

/**
 * A number with a fraction, an exponent or many digits, as the value of a key. Within a string each quote
 * follows a backslash, and where a string begins it follows no letter or digit: this one ends a key.
 */
const FRACTION_OF_A_KEY =
  /(?<=\w"\s*:\s*)-?(?:0|[1-9]\d*)(?:(?:\.\d+)?[eE][+-]?\d+|\.\d+|(?<=\d{16}))(?=\s*[,}])/g;

function quoteInexact(source: string): string {
  return Number.isSafeInteger(Number(source)) ? source : `"${source}"`;
}

// The readers return undefined for a value of another kind: the caller knows which field it was.

/** A text, or a number as it was written (ids come as either). Undefined for an empty text. */
export function readText(value: Json | undefined): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * A name: it is looked up, compared, stored or put into an address. Undefined for an endless one, or with
 * half of a character (a lone surrogate), which no address and no ledger can hold.
 */
export function readName(value: Json | undefined): string | undefined {
  const text = readText(value);
  return text !== undefined && text.length <= LONGEST_NAME && text.isWellFormed() ? text : undefined;
}

/** A plain decimal such as `1.50`, exact, without an exponent. */
export function readDecimal(value: Json | undefined): string | undefined {
  const text = readText(value);
  if (text === undefined) return undefined;
  if (/^-?\d{1,30}(\.\d{1,30})?$/.test(text)) return text;
  // At most two digits of exponent: a hostile 1e999999 would become a million digits.
  return /^-?\d{1,30}(\.\d{1,30})?[eE][+-]?\d{1,2}$/.test(text) ? new Big(text).toFixed() : undefined;
}

/** A safe integer, from a number or from digits; `2.0` is 2. */
export function readInteger(value: Json | undefined): number | undefined {
  const text = readDecimal(value);
  const number = text === undefined ? Number.NaN : Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** `true` or `false`, or a number: 0 is false. */
export function readBoolean(value: Json | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === "true") return true;
  if (value === "false") return false;
  const text = readDecimal(value);
  return text === undefined ? undefined : new Big(text).gt(0);
}

/** Equal texts for values that mean the same: keys sorted, no blanks. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
