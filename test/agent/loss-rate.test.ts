import { expect, test } from "vitest";
import { lossRateOf } from "../../agent/planning/choices/loss-rate.ts";
import { DAY_MS } from "../../ledger/instant.ts";

const rate = (losses: number, machineDays: number) =>
  lossRateOf({ losses, ms: machineDays * DAY_MS, launches: 0, failures: 0, toRun: [] });

// From tables of the chi-squared distribution, which is twice a Gamma one of half its degrees of freedom.
test.each([
  [0, 1, 0.0079, 1.3528],
  [0, 30, 0.00026, 0.0451],
  [1, 10, 0.0292, 0.3126],
  [12, 20, 0.4118, 0.8595],
])(
  "%i losses in %f machine-days are a rate between two bounds with a probability of 80%%",
  (losses, days, low, high) => {
    const found = rate(losses, days);
    expect(found?.mean).toBeCloseTo((losses + 0.5) / days, 9);
    expect(Math.abs((found?.high ?? 0) / high - 1)).toBeLessThan(0.03);
    expect(Math.abs((found?.low ?? 0) - low)).toBeLessThan(0.03 * high);
  },
);

test("where no machine was there, nothing is known", () => {
  expect(rate(0, 0)).toBeUndefined();
});
