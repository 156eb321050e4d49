import { expect, test } from "vitest";
import { parseRetryAfter } from "../../service/http/retry-after.ts";

const NOW = Date.parse("Thu, 01 Jan 2026 00:00:00 GMT");

test.each([
  ["60", 60],
  [" 7 ", 7],
  ["0", 0],
  ["1.5", 1.5],
  ["-3", 0],
  ["86400000", 86_400_000],
  ["Thu, 01 Jan 2026 00:01:30 GMT", 90],
  ["Wed, 31 Dec 2025 23:59:00 GMT", 0],
  ["Thursday, 01-Jan-26 00:00:05 GMT", 5],
  ["", undefined],
  ["soon", undefined],
  ["60 s", undefined],
  ["5, 10", undefined],
  ["2026", 2026],
  ["Mon", undefined],
  ["9".repeat(400), undefined],
  [undefined, undefined],
])("%j is %j seconds", (text, seconds) => {
  expect(parseRetryAfter(text, undefined, NOW)).toBe(seconds);
});

test("a date counts from the answer's own clock, not from ours", () => {
  const date = "Fri, 02 Jan 2026 10:00:00 GMT";
  expect(parseRetryAfter("Fri, 02 Jan 2026 10:01:00 GMT", date, NOW)).toBe(60);
  expect(parseRetryAfter("Thu, 01 Jan 2026 00:01:00 GMT", "not a date", NOW)).toBe(60);
});
