import { z } from "zod";
import { HOUR_MS, MINUTE_MS } from "../ledger/instant.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS };
const EXPECTED = "expected a duration such as 90s, 10m or 2h";
const PATTERN = /^([1-9]\d{0,5})([smh])$/;

/** A duration as people write it: `90s`, `10m`, `2h`. It stays the text; {@link milliseconds} reads it. */
export const durationSchema = z.string({ error: EXPECTED }).regex(PATTERN, EXPECTED);

export function milliseconds(duration: string): number {
  const [, count = "", unit = ""] = PATTERN.exec(duration) ?? [];
  return Number(count) * (UNITS[unit] ?? Number.NaN);
}
