import { InvalidArgumentError } from "commander";
import { momentSchema } from "../../fleet/text/moment.ts";

/** Readers of flags. Their errors are printed after the flag and its value. */

/** Nine digits at most are read. */
function wholeNumber(least: number, limit?: { most: number; tooMuch: string }): (text: string) => number {
  return (text) => {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number.");
    if (Number(text) < least) throw new InvalidArgumentError(`expected at least ${least}.`);
    if (limit && Number(text) > limit.most) throw new InvalidArgumentError(limit.tooMuch);
    return Number(text);
  };
}

export const atLeastOne = wholeNumber(1);
export const noneOrMore = wholeNumber(0);
export const daysBack = wholeNumber(1, { most: 366, tooMuch: "expected at most 366 days." });
export const seeds = wholeNumber(1, { most: 100, tooMuch: "expected at most 100: each is a whole play." });
export const port = wholeNumber(0, { most: 65_535, tooMuch: "expected a port, at most 65535." });

export function usd(text: string): string {
  if (!/^\d{1,9}(\.\d{1,4})?$/.test(text))
    throw new InvalidArgumentError("expected an amount as a plain decimal, such as 1000.00.");
  return text;
}

export function month(text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new InvalidArgumentError("expected a month such as 2026-11.");
  return text;
}

/** A moment that is not to come, with its time zone. */
export function pastMoment(text: string): string {
  const { error } = momentSchema.safeParse(text);
  if (error) throw new InvalidArgumentError(`${error.issues[0]?.message}.`);
  if (Date.parse(text) > Date.now()) throw new InvalidArgumentError("expected a moment that is not to come.");
  return text;
}

export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError("expected a number above 0.");
  return value;
}

/** A flag that may be given several times. */
export function several(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
