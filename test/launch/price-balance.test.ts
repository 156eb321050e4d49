import { expect, it } from "vitest";
import { priceOf } from "../../launch/money/price.ts";
import { holdBalance, wantsBalance, wantsBaseline } from "../../launch/money/price-balance.ts";
import { haltsOf, resume } from "../../launch/people/operator.ts";
import { parseUsd } from "../../service/contract/money.ts";
import type { BenchOptions } from "./bench.ts";
import { LaunchBench, OSLO, ROME } from "./bench.ts";

/** Offers and records show the price of one of eight GPUs: only the balance knows better. */
const TRAP = { pricePerHour: "2.3750" };

function benchOf(options: BenchOptions = {}): LaunchBench {
  const bench = new LaunchBench(options);
  bench.wire = { ...bench.wire, abilities: { ...bench.wire.abilities, offerPrice: true } };
  return bench;
}

function read(bench: LaunchBench, amount: string): void {
  bench.decide((draft, context) => {
    draft.putAccount({ ...draft.account, balance: { amount, begun: context.now } });
    holdBalance(draft, context);
  });
}

/** One launch between two reads of the balance, the second one after the settle time. */
function launched(bench: LaunchBench, before: string, after: string): void {
  bench.list();
  read(bench, before);
  bench.machine("m1", TRAP, { ...OSLO, ...TRAP });
  bench.poll(bench.settings.settle + bench.settings.poll);
  read(bench, after);
}

const halts = (bench: LaunchBench): readonly string[] => haltsOf(bench.rows.account);

it("holds what the balance lost against the price of the launch", () => {
  const bench = benchOf();
  launched(bench, "1000.0000", "981.0000");
  expect(halts(bench)).toEqual([
    expect.stringContaining(
      "m1 (h100-8 @ north/oslo, 8 GPUs) was launched at 2.375 USD an hour, and the balance lost 19.00 for its first hour " +
        "(1000.00 before, 981.00 after), 8 times as much: as if the price of one GPU were read",
    ),
  ]);
  expect(priceOf(bench.draft, bench.row("m1"))?.toFixed()).toBe("19");
});

it("counts what the balance lost after a person resumed, whatever records say", () => {
  const bench = benchOf();
  launched(bench, "1000.0000", "981.0000");
  bench.decide(resume);
  bench.list();
  expect(bench.why(bench.admit({ ...TRAP, limits: { perHour: parseUsd("30") } }))).toBe("perHour");
});

it("agrees, and is asked no more", () => {
  const bench = benchOf();
  bench.list();
  expect(bench.decide(wantsBaseline)).toBe(true);
  read(bench, "1000.0000");
  bench.machine("m1", TRAP, { ...OSLO, ...TRAP });
  expect(bench.decide(wantsBaseline)).toBe(false);
  expect(bench.decide(wantsBalance)).toBe(true);
  bench.poll(bench.settings.settle + bench.settings.poll);
  read(bench, "997.6250");
  expect(halts(bench)).toEqual([]);
  expect(bench.decide(wantsBalance)).toBe(false);
  expect(bench.rows.account.profiles["profile-1"]?.prices).toEqual({ doubts: [], paid: true });
});

it("says nothing of a balance that lost less, as after a refund or with new credits", () => {
  const bench = benchOf();
  launched(bench, "1000.0000", "1020.0000");
  expect(halts(bench)).toEqual([]);
  expect(bench.rows.account.profiles["profile-1"]?.prices).toBeUndefined();
});

it("says nothing on a shared account", () => {
  const bench = benchOf({ tenure: "shared" });
  launched(bench, "1000.0000", "900.0000");
  expect(halts(bench)).toEqual([]);
});

it("says nothing before the settle time is over", () => {
  const bench = benchOf();
  bench.list();
  read(bench, "1000.0000");
  bench.machine("m1", TRAP, { ...OSLO, ...TRAP });
  bench.poll(bench.settings.settle - bench.settings.poll);
  read(bench, "981.0000");
  expect(halts(bench)).toEqual([]);
});

it("says nothing once the first hour may be over", () => {
  const bench = benchOf();
  bench.list();
  read(bench, "1000.0000");
  bench.machine("m1", TRAP, { ...OSLO, ...TRAP });
  bench.poll(60 * 60_000);
  read(bench, "962.0000");
  expect(halts(bench)).toEqual([]);
});

it.each([
  ["lives", (bench: LaunchBench) => bench.show("other", ROME)],
  [
    "just ended",
    (bench: LaunchBench) => {
      bench.show("other", ROME);
      bench.advance(1_000);
      bench.list();
      bench.show("other", { status: "interrupted" });
      bench.advance(1_000);
    },
  ],
])("says nothing where another machine %s", (_how, arrange) => {
  const bench = benchOf();
  bench.list();
  arrange(bench);
  launched(bench, "1000.0000", "900.0000");
  expect(halts(bench)).toEqual([]);
});

it("says nothing where another launch may have taken something", () => {
  const bench = benchOf({
    combination: true,
    shownBack: ["offer=h100-8", "provider=north", "location=oslo"],
  });
  bench.list();
  read(bench, "1000.0000");
  bench.machine("m1", TRAP, { ...OSLO, ...TRAP });
  bench.lose(bench.launch({ ...ROME }));
  bench.poll(bench.settings.settle + bench.settings.poll);
  read(bench, "900.0000");
  expect(halts(bench)).toEqual([]);
});

it("says nothing by a balance that was read long before", () => {
  const bench = benchOf();
  bench.list();
  read(bench, "1000.0000");
  bench.poll(bench.settings.settle + bench.settings.poll);
  bench.machine("m1", TRAP, { ...OSLO, ...TRAP });
  bench.poll(bench.settings.settle + bench.settings.poll);
  read(bench, "900.0000");
  expect(halts(bench)).toEqual([]);
});
