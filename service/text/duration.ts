import { z } from "zod";

const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1000, 60_000, 3_600_000, 86_400_000];

export const EXPECTED_DURATION = "expected a duration such as 90s, 1h30m or 7d";
const PATTERN = /^(?=.*[1-9])(?:(\d{1,4})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/;

/** A duration as people write it: `90s`, `1h30m`, `7d`. It stays a text; {@link milliseconds} reads it. */
export const durationSchema = z
  .string({ error: EXPECTED_DURATION })
  .regex(PATTERN, { error: EXPECTED_DURATION, abort: true });

export function milliseconds(duration: string): number {
  const [whole, days = 0, hours = 0, minutes = 0, seconds = 0] = PATTERN.exec(duration) ?? [];
  if (whole === undefined) return Number.NaN;
  return (
    Number(days) * DAY_MS +
    Number(hours) * HOUR_MS +
    Number(minutes) * MINUTE_MS +
    Number(seconds) * SECOND_MS
  );
}

/** Milliseconds as such a text, at least a second: `32s`, `1h30m`. A part of a second is rounded up. */
export function durationOf(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / SECOND_MS));
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ];
  return parts.flatMap(([count, unit]) => (count === 0 ? [] : `${count}${unit}`)).join("");
}
