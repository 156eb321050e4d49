import { InvalidArgumentError } from "commander";

/** Readers of flags. Their errors are printed after the flag and its value. */

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("expected a whole number.");
  return Number(text);
}

export function atLeastOne(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError("expected at least 1.");
  return value;
}

export function daysBack(text: string): number {
  const value = atLeastOne(text);
  if (value > 366) throw new InvalidArgumentError("expected at most 366 days.");
  return value;
}

export function port(text: string): number {
  const value = wholeNumber(text);
  if (value > 65_535) throw new InvalidArgumentError("expected a port, at most 65535.");
  return value;
}

export function usd(text: string): string {
  if (!/^\d{1,9}(\.\d{1,4})?$/.test(text))
    throw new InvalidArgumentError("expected USD as a plain decimal, such as 1000.00.");
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
