import { expect, test } from "vitest";
import { durationOf, durationSchema, milliseconds } from "../../service/text/duration.ts";

const MINUTE = 60_000;

test.each([
  ["90s", 1.5 * MINUTE],
  ["30m", 30 * MINUTE],
  ["2h", 120 * MINUTE],
  ["1h30m", 90 * MINUTE],
  ["7d", 168 * 60 * MINUTE],
  ["1d12h", 36 * 60 * MINUTE],
  ["1h1m1s", 61 * MINUTE + 1000],
])("%s is a duration", (text, ms) => {
  expect(durationSchema.parse(text)).toBe(text);
  expect(milliseconds(text)).toBe(ms);
});

test.each(["", "h", "0s", "1.5h", "30m1h", "10 minutes", "0d", "1.5d", "12h1d", "-5m", "1h30"])(
  "%j is none",
  (text) => {
    expect(durationSchema.safeParse(text).success).toBe(false);
  },
);

test.each([
  [32_000, "32s"],
  [1_200_001, "20m1s"],
  [3_600_000, "1h"],
  [100, "1s"],
])("%d ms are written as %s", (ms, text) => {
  expect(durationOf(ms)).toBe(text);
  expect(milliseconds(text)).toBeGreaterThanOrEqual(ms);
});
