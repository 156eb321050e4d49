import { expect, it } from "vitest";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import { reserved } from "../../launch/money/budget.ts";
import { holdBalance, wantsBalance, wantsBaseline } from "../../launch/money/price-balance.ts";
import type { Bill } from "../../launch/money/spend.ts";
import { billsOf, costOf, sumOf } from "../../launch/money/spend.ts";
import { haltsOf } from "../../launch/people/operator.ts";
import type { Billing } from "../../service/contract/billing.ts";
import { atOnceText, billingText, payableAtOnce, takenAtOnce } from "../../service/contract/billing.ts";
import { parseUsd, type Usd } from "../../service/contract/money.ts";
import { FLEET, LaunchBench, OSLO } from "./bench.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const NOON = Date.UTC(2026, 0, 1, 12);
const money = (text: string): Usd => parseUsd(text) as Usd;

const BY_MINUTE: Billing = { unit: MINUTE, minimum: MINUTE, reserved: 0 };
const TEN_AT_LEAST: Billing = { unit: MINUTE, minimum: 10 * MINUTE, reserved: 0 };
const BY_SECOND: Billing = { unit: SECOND, minimum: MINUTE, reserved: 0 };
const IN_ADVANCE: Billing = { unit: MINUTE, minimum: MINUTE, reserved: 30 * MINUTE };

function bill(lasted: number, billing: Billing, isOver: boolean, price = "3.60"): Bill {
  const ended = isOver ? { wall: NOON + lasted, mono: 0, boot: "b" } : undefined;
  return { of: "m", from: NOON, lasted, ended, price: money(price), refund: "none", labels: {}, billing };
}

it.each<[what: string, billing: Billing, lasted: number, isOver: boolean, cost: string]>([
  ["a minute that has begun", BY_MINUTE, 0, false, "0.06"],
  ["the next one from its first moment on", BY_MINUTE, MINUTE, false, "0.12"],
  ["no more than the minute that it lived", BY_MINUTE, MINUTE, true, "0.06"],
  ["its least, though it ended at once", TEN_AT_LEAST, 1, true, "0.6"],
  ["its least while it lives", TEN_AT_LEAST, 9 * MINUTE, false, "0.6"],
  ["what goes beyond its least", TEN_AT_LEAST, 10 * MINUTE, false, "0.66"],
  [
    "a least that is no whole number of hours",
    { unit: HOUR, minimum: 90 * MINUTE, reserved: 0 },
    1,
    true,
    "5.4",
  ],
  ["seconds that have begun", BY_SECOND, 61 * SECOND + 1, true, "0.062"],
  ["what was taken in advance, while it lives", IN_ADVANCE, MINUTE, false, "1.8"],
  ["what it used, once it is over", IN_ADVANCE, MINUTE, true, "0.06"],
])("a machine costs %s", (_what, billing, lasted, isOver, cost) => {
  expect(costOf(bill(lasted, billing, isOver)).toFixed()).toBe(cost);
});

it("rounds up to four decimals, as a balance has them: 1/7 USD an hour for a second is no 0", () => {
  const seconds = bill(SECOND, { unit: SECOND, minimum: SECOND, reserved: 0 }, true, "0.142857142857");
  expect(costOf(seconds).toFixed()).toBe("0.0001");
});

it("days add up to the whole, and the least counts on the day of the launch", () => {
  const late = {
    ...bill(25 * HOUR + 7, BY_SECOND, true, "2.777777777777"),
    from: NOON + 12 * HOUR - 30 * SECOND,
  };
  const days = [0, 1, 2, 3].map((day) => NOON - 12 * HOUR + day * 24 * HOUR);
  const sums = days.slice(1).map((to, index) => costOf(late, days[index], to));
  expect(sums.reduce((sum, each) => sum.plus(each)).toFixed()).toBe(costOf(late).toFixed());
  const young = { ...late, lasted: 40 * SECOND };
  expect(costOf(young, days[1], days[2]).toFixed()).toBe("0");
  expect(costOf(young, days[0], days[1]).toFixed()).toBe(costOf(young).toFixed());
});

it.each([
  [undefined, "2.5", "2.5", "a launch reserves the first hour", "by whole hours as they begin"],
  [
    BY_MINUTE,
    "0.0417",
    "150",
    "billed by minutes as they begin, a launch costs 1 minute at least",
    "by minutes as they begin",
  ],
  [
    TEN_AT_LEAST,
    "0.4167",
    "15",
    "billed by minutes as they begin, at least 10 minutes each, a launch costs 10 minutes at least",
    "by minutes as they begin, at least 10 minutes each",
  ],
  [IN_ADVANCE, "1.25", "5", "a launch reserves 30 minutes", "by minutes as they begin"],
])("says what a launch takes at once: %j", (billing, taken, payable, says, how) => {
  expect(takenAtOnce(billing, money("2.5")).toFixed()).toBe(taken);
  // Never a price at which more would be taken.
  expect(takenAtOnce(billing, payableAtOnce(billing, money("2.5"))).lte("2.5")).toBe(true);
  expect(payableAtOnce(billing, money("2.5")).toFixed()).toBe(payable);
  expect([atOnceText(billing), billingText(billing)]).toEqual([says, how]);
});

function benchOf(billing: Billing, currency?: string): LaunchBench {
  const bench = new LaunchBench();
  bench.wire = { ...bench.wire, abilities: { ...bench.wire.abilities, offerPrice: true } };
  bench.decide((draft) =>
    draft.putAccount({ ...draft.account, billing, ...(currency === undefined ? {} : { currency }) }),
  );
  return bench;
}

function read(bench: LaunchBench, amount: string): void {
  bench.decide((draft, context) => {
    draft.putAccount({ ...draft.account, balance: { amount, begun: context.now } });
    holdBalance(draft, context);
  });
}

it("nothing is given back but a failed launch: not what an interruption leaves, nor a stop before it ran", () => {
  const cost = (end: (bench: LaunchBench) => void): string => {
    const bench = benchOf(TEN_AT_LEAST);
    bench.machine("m1", {}, { status: "provisioning" });
    end(bench);
    return sumOf(billsOf(bench.draft, FLEET, bench.context)).toFixed(4);
  };
  const shown = (status: string) => (bench: LaunchBench) => {
    bench.advance(2 * MINUTE);
    bench.show("m1", { status });
    bench.list();
  };
  // 16 USD an hour.
  expect(cost(shown("failed"))).toBe("0.0000");
  expect(cost(shown("interrupted"))).toBe("2.6667");
  expect(
    cost((bench) => {
      bench.decide((draft, context) => {
        askStop(draft, "m1", "because", context);
        storeStop(draft, "m1", { kind: "accepted", said: "" }, context);
      });
      bench.show("m1", { status: "stopped", stopReason: "user" });
      bench.list();
    }),
  ).toBe("2.6667");
});

it("budgets count what a launch takes, in the account's currency", () => {
  const bench = benchOf(TEN_AT_LEAST, "EUR");
  bench.list();
  const why = (limits: object): string => {
    const admitted = bench.decide(() => bench.admit({ limits }));
    return "refused" in admitted ? admitted.refused.text : "admitted";
  };
  expect(why({ total: money("2.66") })).toBe("2.6667 EUR in all would be above the total of 2.66");
  expect(why({ perDay: money("2.66") })).toContain("2.6667 EUR on this day");
  expect(why({ perHour: money("15") })).toBe("16.00 EUR an hour would be above the budget of 15.00 an hour");
  read(bench, "102.6666");
  expect(why({ floor: money("100") })).toBe(
    "the balance would fall to 99.9999 EUR, below the floor of 100.00",
  );
  read(bench, "102.6667");
  expect(why({ floor: money("100") })).toBe("admitted");
  expect(bench.decide((draft, context) => reserved(draft, context)).toFixed(4)).toBe("2.6667");
});

it("a balance proves a price by what a launch takes in advance, and nothing where that is nothing", () => {
  const launched = (billing: Billing, after: string): LaunchBench => {
    const bench = benchOf(billing);
    bench.list();
    read(bench, "1000.0000");
    bench.machine("m1", { pricePerHour: "2.3750" }, { ...OSLO, pricePerHour: "2.3750" });
    bench.poll(bench.settings.settle + bench.settings.poll);
    read(bench, after);
    return bench;
  };
  // Half an hour of 19.00, and of what was expected.
  expect(haltsOf(launched(IN_ADVANCE, "990.5000").rows.account)[0]).toContain(
    "the balance lost 19.00 an hour (1000.00 before, 990.50 after), 8 times as much",
  );
  expect(haltsOf(launched(IN_ADVANCE, "998.8125").rows.account)).toEqual([]);
  const nothing = launched(BY_MINUTE, "900.0000");
  expect(haltsOf(nothing.rows.account)).toEqual([]);
  expect([nothing.decide(wantsBalance), nothing.decide(wantsBaseline)]).toEqual([false, false]);
});
