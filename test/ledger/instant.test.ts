import { describe, expect, it } from "vitest";
import type { Instant } from "../../ledger/instant.ts";
import { age, elapsed, isBefore, isLater } from "../../ledger/instant.ts";

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

describe("moments of several hosts", () => {
  const on = (mono: number, error: number, epoch = "epoch 7 since 1000"): Instant => ({
    ...at(mono, mono, epoch),
    error,
  });

  it("are as far apart as is sure, and as old as can be", () => {
    expect(elapsed(on(5_000, 30), on(6_000, 20))).toBe(950);
    expect(elapsed(on(5_000, 30), on(5_040, 20))).toBe(0);
    expect(age(on(5_000, 30), on(6_000, 20))).toBe(1_050);
    expect(age(on(5_000, 30), on(4_990, 20))).toBe(40);
  });

  it("that are yet to come are of no known age: the database's clock was set back", () => {
    expect(age(on(5_000, 30), on(4_000, 20))).toBe(Number.POSITIVE_INFINITY);
    expect(elapsed(on(5_000, 30), on(4_000, 20))).toBe(0);
  });

  it("are later only if that is sure", () => {
    expect(isLater(on(5_051, 30), on(5_000, 20))).toBe(true);
    expect(isLater(on(5_050, 30), on(5_000, 20))).toBe(false);
    expect(isBefore(on(5_000, 20), on(5_051, 30), on(9_000, 1))).toBe(true);
    expect(isBefore(on(5_000, 20), on(5_050, 30), on(9_000, 1))).toBe(false);
  });

  const next = "epoch 10 since 50000";

  it("of an older epoch are before those of a newer one, and never later", () => {
    expect(isLater(on(50_100, 1, next), on(90_000, 1))).toBe(true);
    expect(isLater(on(90_000, 1), on(50_100, 1, next))).toBe(false);
    expect(isBefore(on(90_000, 1), on(50_100, 1, next), on(50_200, 1, next))).toBe(true);
    expect(isBefore(on(50_100, 1, next), on(90_000, 1), on(90_100, 1))).toBe(false);
    expect(age(on(90_000, 1), on(50_100, 1, next))).toBe(Number.POSITIVE_INFINITY);
  });

  it("of an older epoch are as long ago as the newer one surely lasts, however far the clock jumped", () => {
    expect(elapsed(on(40_000, 1), on(50_100, 1, next))).toBe(99);
    expect(elapsed(on(90_000, 1), on(50_100, 1, next))).toBe(99);
    expect(elapsed(on(50_100, 1, next), on(90_000, 1))).toBe(0);
    const day = 24 * 3_600_000;
    const later = on(40_000 + 3 * day, 1, `epoch 10 since ${40_000 + 3 * day - 100}`);
    expect(elapsed(on(40_000, 1), later)).toBe(3 * day - 14 * 3_600_000);
  });

  it("of two epochs of one number, of which one was lost, are in no order", () => {
    const [one, other] = [on(60_000, 1, "epoch 10 since 50000"), on(90_000, 1, "epoch 10 since 50001")];
    expect([isLater(one, other), isLater(other, one)]).toEqual([false, false]);
    expect([elapsed(one, other), elapsed(other, one)]).toEqual([0, 0]);
  });
});
