import { z } from "zod";
import { HOUR_MS, MINUTE_MS } from "../ledger/instant.ts";

const EXPECTED = "expected a duration such as 90s, 30m or 1h30m";
const PATTERN = /^(?=\d)(?:([1-9]\d{0,5})h)?(?:([1-9]\d{0,5})m)?(?:([1-9]\d{0,5})s)?$/;

/** A duration as people write it: `90s`, `30m`, `1h30m`. It stays the text; {@link milliseconds} reads it. */
export const durationSchema = z.string({ error: EXPECTED }).regex(PATTERN, EXPECTED);

export function milliseconds(duration: string): number {
  const [, hours, minutes, seconds] = PATTERN.exec(duration) ?? [];
  if (hours === undefined && minutes === undefined && seconds === undefined) return Number.NaN;
  return Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS + Number(seconds ?? 0) * 1000;
}
