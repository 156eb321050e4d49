import Big from "big.js";
import { LONGEST_NAME } from "./limits.ts";
import type { Json } from "./service.ts";

/**
 * Parses JSON without losing a digit. A number that JavaScript would change or write differently (`0.10`,
 * `1e3`, 20 digits) stays the text as written. Only safe integers that print as written become numbers.
 */
export function parseJson(text: string): Json {
  return JSON.parse(text, isPlain(text) ? undefined : (keepExact as Reviver)) as Json;
}

/**
 * True if `JSON.parse` alone reads the text exactly: each number is an integer of few digits. A reviver takes
 * four times as long, and most lists do not need it. Absurd depth is left to the reviver, which throws.
 */
function isPlain(text: string): boolean {
  let depth = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= DIGIT_0 && code <= DIGIT_9) {
      digits += 1;
      if (digits > SAFE_DIGITS || (code === DIGIT_0 && text[at - 1] === "-")) return false;
      continue;
    }
    // An exponent or a fraction. The e of true and false follows a letter, not a digit.
    if (digits > 0 && (code === POINT || code === LOWER_E || code === UPPER_E)) return false;
    digits = 0;
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === BRACKET || code === BRACE) depth += 1;
    else if (code === BRACKET_END || code === BRACE_END) depth -= 1;
    if (depth > SANE_DEPTH) return false;
  }
  return true;
}

/** Where the string that begins here ends; the end of the text if it is not closed. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Any integer of this many digits is safe. */
const SAFE_DIGITS = 15;
const SANE_DEPTH = 100;
const [DIGIT_0 = 0, DIGIT_9 = 0, POINT, LOWER_E, UPPER_E, QUOTE, BACKSLASH] = Buffer.from('09.eE"\\');
const [BRACKET, BRACKET_END, BRACE, BRACE_END] = Buffer.from("[]{}");

type Reviver = (key: string, value: unknown) => unknown;

function keepExact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  return Number.isSafeInteger(value) && String(value) === source ? value : source;
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
