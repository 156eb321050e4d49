import { describe, expect, it } from "vitest";
import type { Instant } from "../../ledger/instant.ts";
import { age, elapsed, isLater } from "../../ledger/instant.ts";

const at = (mono: number, wall: number, boot = "one"): Instant => ({ mono, wall, boot });

describe("elapsed", () => {
  it("is monotonic within a boot, whatever the wall clock does", () => {
    expect(elapsed(at(0, 0), at(5, 9_999))).toBe(5);
    expect(elapsed(at(0, 9_999), at(5, 0))).toBe(5);
  });
  it("is wall time between boots, and never negative", () => {
    expect(elapsed(at(900, 100), at(0, 107, "two"))).toBe(7);
    expect(elapsed(at(900, 100), at(0, 7, "two"))).toBe(0);
  });
});

describe("age", () => {
  it("is the longer of the two clocks: one stands still while the machine sleeps", () => {
    expect(age(at(0, 0), at(5, 3_600_000))).toBe(3_600_000);
    expect(age(at(0, 100), at(5, 0))).toBe(5);
  });
  it("is unknown between boots", () => {
    expect(age(at(0, 0), at(0, 0, "two"))).toBe(Number.POSITIVE_INFINITY);
  });
});

it("takes what this boot says for later than what an earlier one stored", () => {
  expect(isLater(at(0, 0, "two"), at(900, 900))).toBe(true);
  expect(isLater(at(5, 0), at(4, 900))).toBe(true);
  expect(isLater(at(4, 900), at(4, 0))).toBe(false);
});
