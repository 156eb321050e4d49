import { expect, test } from "vitest";
import { type Bounded, boundBy } from "../../agent/planning/told/bound.ts";
import { boundFacts, boundText, costsOf, costText, sumOfCosts } from "../../agent/planning/told/costs.ts";
import { parseUsd, type Usd } from "../../service/contract/money.ts";

const HOUR = 3_600_000;
const usd = (text: string): Usd => parseUsd(text) as Usd;

function asked(changes: Partial<Bounded> = {}): Bounded {
  return {
    limits: { perGpuHour: usd("2.50") },
    gpus: 10,
    largest: 8,
    ceilingBy: "10 GPUs at budget.perGpuHour",
    end: undefined,
    stops: 6 * 60_000,
    running: [],
    billing: undefined,
    advice: { price: "set a price", end: "set an end" },
    ...changes,
  };
}
const most = (changes: Partial<Bounded>) => boundFacts(boundBy(asked(changes), 0));

test("an hour costs the lower of its limit and of all its GPUs at the highest price of one, with its buffer", () => {
  expect(most({})).toMatchObject({
    perHour: "25.0000",
    perHourBy: "10 GPUs at budget.perGpuHour",
    late: "20.0000",
  });
  const perHour = usd("12");
  const both = { limits: { perGpuHour: usd("2.50"), perHour } };
  expect(most(both)).toMatchObject({ perHour: "12.0000", perHourBy: "budget.perHour", late: "12.0000" });
  expect(most({ buffer: { gpus: 2, price: usd("1") } }).perHour).toBe("27.0000");
  expect(most({ buffer: { gpus: 2, price: usd("9") } }).perHour).toBe("30.0000");
  expect(most({ buffer: { gpus: 2, price: undefined } }).perHour).toBe("30.0000");
});

test("what runs already counts where it costs more than limits would allow now", () => {
  const running = [usd("30"), usd("1")];
  expect(most({ running })).toMatchObject({
    perHour: "31.0000",
    perHourBy: "what runs now",
    replaced: "30.0000",
  });
});

test.each([
  [0, "25.0000"],
  [HOUR - 7 * 60_000, "25.0000"],
  [HOUR - 6 * 60_000, "50.0000"],
  [90 * 60_000, "50.0000"],
])(
  "until its end each hour counts that begins before its stops are carried out: %s ms are %s",
  (end, costs) => {
    expect(most({ end })).toMatchObject({ untilEnd: costs, end: new Date(end).toISOString(), why: [] });
  },
);

test("by the minute it is so many minutes, and the least that each machine costs", () => {
  const billing = { unit: 60_000, minimum: 10 * 60_000, reserved: 0 };
  expect(most({ billing, end: 2 * HOUR })).toMatchObject({ untilEnd: "52.9167", replaced: "3.3334" });
  expect(most({ billing, end: 0, stops: 0 }).untilEnd).toBe("4.1667");
});

test("an unknown price is not counted as 0: there is no bound, and the text says why", () => {
  const bound = boundBy(asked({ running: [usd("1"), undefined], end: HOUR }), 0);
  expect(boundFacts(bound)).toMatchObject({ perHour: null, untilEnd: null, inAll: null, late: null });
  expect(boundText(bound)).toMatch(/^no bound on the cost: .* an unknown price is not counted as 0$/);
  const costs = sumOfCosts([
    costsOf([{ gpus: 1, price: usd("2") }]),
    costsOf([
      { gpus: 8, price: undefined },
      { gpus: 4, price: usd("1") },
    ]),
  ]);
  expect(costText(costs)).toBe("not known: 1 of its machines has no known price");
  expect(costs).toEqual({ gpus: 13, perHour: undefined, unpriced: 1 });
});

test("without a limit and without an end there is none, and the text says what to write", () => {
  const none = boundBy(asked({ limits: {} }), 0);
  expect(boundText(none)).toBe("no bound on the cost: set a price; set an end");
  const total = boundBy(asked({ limits: { total: usd("100") } }), 0);
  expect(boundText(total, "EUR")).toBe(
    "at most 100.00 EUR in all (budget.total). On top: its price for each hour of a machine that shows after its launch was given up, what runs for each hour in which nothing can be stopped. An hour has no bound: set a price",
  );
});

test("a total counts what ends early and is replaced", () => {
  const limits = { perGpuHour: usd("2.50"), total: usd("100") };
  expect(boundText(boundBy(asked({ limits }), 0))).not.toContain("replaced");
  expect(boundText(boundBy(asked({}), 0))).toContain(
    "20.00 for each machine that ends early and is replaced",
  );
});
