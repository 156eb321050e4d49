import { expect, it } from "vitest";
import { priceOf } from "../../launch/money/price.ts";
import { settleDoubts } from "../../launch/money/price-doubt.ts";
import { billsOf, sumOf } from "../../launch/money/spend.ts";
import { haltsOf, resume } from "../../launch/people/operator.ts";
import { parseUsd } from "../../service/contract/money.ts";
import { FLEET, LaunchBench, OSLO, ROME } from "./bench.ts";

/** The profile reads the price of one of eight GPUs for that of the whole machine. */
const TRAP = { pricePerHour: "2.375" };
const LIMITED = { limits: { perHour: parseUsd("100") } };
const IS = { ...OSLO, pricePerHour: "19.000000" };

function benchOf({ offerPrice = true } = {}): LaunchBench {
  const bench = new LaunchBench();
  bench.wire = { ...bench.wire, abilities: { ...bench.wire.abilities, offerPrice } };
  return bench;
}

function doubted(): LaunchBench {
  const bench = benchOf();
  bench.machine("m1", TRAP, IS);
  return bench;
}

const halts = (bench: LaunchBench): readonly string[] => haltsOf(bench.rows.account);

it("halts whoever has a limit on money, and names all numbers", () => {
  const bench = doubted();
  const refused = bench.admit({ ...TRAP, ...LIMITED });
  expect(refused).toMatchObject({ refused: { kind: "prices", text: halts(bench)[0] } });
  expect(halts(bench)).toEqual([
    "prices do not hold under this profile: m1 (h100-8 @ north/oslo, 8 GPUs) was launched at 2.375 USD an hour, and its own " +
      "record says 19.00, 8 times as much: as if the price of one GPU were read. Nothing is launched for whoever has a limit " +
      "on money, since it would be judged by a wrong price. Check offers.fields.pricePerHour in the profile (USD an hour of the " +
      "whole machine), then: fleetkeeper resume",
  ]);
  expect(bench.told("halted")).toEqual(halts(bench));
});

it("lets go on whoever has no limit, and whoever has another profile", () => {
  const bench = doubted();
  expect(bench.why(bench.admit(TRAP))).toBe("admitted");
  const other = doubted();
  other.wire = { ...other.wire, profileHash: "profile-2" };
  expect(other.why(other.admit({ ...TRAP, ...LIMITED }))).toBe("admitted");
});

it.each(["floor", "perHour", "perGpuHour", "perDay", "total", "churn"] as const)(
  "halts whoever has a limit %s",
  (limit) => {
    const bench = doubted();
    expect(bench.why(bench.admit({ ...ROME, limits: { [limit]: parseUsd("1000") } }))).toBe("prices");
  },
);

it("is told once, however often lists show it", () => {
  const bench = doubted();
  bench.poll(5 * bench.settings.poll);
  expect(bench.told("halted")).toHaveLength(1);
});

it("sees it in the answer of the launch, before any list", () => {
  const bench = benchOf();
  const intent = bench.launch(TRAP);
  bench.accept(intent, "m1", { status: "initializing", pricePerHour: "19" });
  expect(bench.why(bench.admit({ ...TRAP, ...LIMITED }))).toBe("prices");
});

it("sees it once the record shows a price", () => {
  const bench = benchOf();
  bench.machine("m1", TRAP, OSLO);
  expect(bench.why(bench.admit({ ...ROME, ...TRAP, limits: { floor: undefined } }))).toBe("admitted");
  bench.show("m1", { pricePerHour: "19" });
  bench.advance(1_000);
  bench.list();
  expect(halts(bench)).toHaveLength(1);
});

it.each([
  ["the same", "2.3750"],
  ["rounded to a cent", "2.38"],
  ["what one of 8 GPUs costs rounded to a cent", "2.455"],
  ["less", "1.9"],
])("does not halt at %s", (_what, pricePerHour) => {
  const bench = benchOf();
  bench.machine("m1", TRAP, { ...OSLO, pricePerHour });
  expect(halts(bench)).toEqual([]);
});

it("does not compare what may be another machine's", () => {
  const bench = benchOf();
  bench.machine("m1", TRAP, { ...ROME, pricePerHour: "19" });
  expect(halts(bench)).toEqual([]);
});

it("judges limits by the higher price after a person resumed", () => {
  const bench = doubted();
  expect(bench.decide(resume)).toMatchObject({ halted: 1 });
  expect(halts(bench)).toEqual([]);
  const refused = bench.admit({ ...TRAP, limits: { perHour: parseUsd("30") } });
  expect(refused).toMatchObject({
    refused: { about: "money", text: "38.00 USD an hour would be above the budget of 30.00 an hour" },
  });
  const admitted = bench.admit({ ...TRAP, limits: { perHour: parseUsd("38") } });
  expect(admitted).toMatchObject({ intent: { pricePerHour: "19" } });
  bench.poll(2 * bench.settings.poll);
  expect(halts(bench)).toEqual([]);
});

it("halts again at another combination whose price does not hold", () => {
  const bench = doubted();
  bench.decide(resume);
  bench.machine("m2", { ...ROME, ...TRAP }, { ...ROME, pricePerHour: "18" });
  expect(halts(bench)).toEqual([expect.stringContaining("m2 (h100-8 @ south/rome")]);
  expect(halts(bench)[0]).not.toContain("m1");
});

it("goes on where the offers show by now what the machine costs: the price had risen", () => {
  const bench = doubted();
  const offer = { ...OSLO, gpus: 8, pricePerHour: "2.375" };
  bench.decide((draft, context) => settleDoubts(draft, [offer], context));
  expect(halts(bench)).toHaveLength(1);
  bench.decide((draft, context) => settleDoubts(draft, [{ ...offer, pricePerHour: "19" }], context));
  expect(halts(bench)).toEqual([]);
  bench.poll(2 * bench.settings.poll);
  expect(halts(bench)).toEqual([]);
  expect(bench.told("resumed")).toEqual(["launches go on: the offers show by now what m1 costs"]);
});

it("counts a price that people wrote too low as what it is, and halts nothing for it", () => {
  const bench = benchOf({ offerPrice: false });
  bench.machine("m1", TRAP, IS);
  expect(halts(bench)).toEqual([]);
  expect(bench.told("dearer")).toEqual([expect.stringContaining("this counts from now on")]);
  expect(bench.admit({ ...TRAP, limits: { perHour: parseUsd("30") } })).toMatchObject({
    refused: { about: "money" },
  });
});

it("counts the offer's price where the record shows less, as if that were one GPU's", () => {
  const bench = benchOf();
  bench.machine("m1", { pricePerHour: "19" }, { ...OSLO, pricePerHour: "2.375" });
  expect(priceOf(bench.draft, bench.row("m1"))?.toFixed()).toBe("19");
  const spent = bench.decide((draft, context) => sumOf(billsOf(draft, FLEET, context)));
  expect(spent.toFixed()).toBe("19");
  expect(bench.admit({ pricePerHour: "19", limits: { perHour: parseUsd("30") } })).toMatchObject({
    refused: { about: "money" },
  });
});
