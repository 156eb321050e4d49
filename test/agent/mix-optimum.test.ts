import Big from "big.js";
import loadHighs from "highs";
import { describe, expect, test } from "vitest";
import { fillings } from "../../agent/planning/mix/knapsack.ts";
import type { Bounds, Option } from "../../agent/planning/mix/mix.ts";
import { cheapestMix, locality, obstacle, startOfMix } from "../../agent/planning/mix/mix.ts";
import { Prng } from "../../simulator/prng.ts";

// Its types are those of a CommonJS module, and what Node imports is none.
const highs = await (loadHighs as unknown as typeof loadHighs.default)();

interface Instance {
  readonly options: readonly Option[];
  readonly gpus: number;
  readonly slack: number;
  readonly spread: "any" | "same" | number;
  readonly cost: number | undefined;
}

/** Prices are hundredths of a USD, so that a solver that calculates with fractions is exact, too. */
function draw(seed: number): Instance {
  const random = new Prng(`mix ${seed}`);
  const options = Array.from({ length: random.integer(1, 9) }, (_, index): Option => {
    const gpus = random.pick([1, 2, 3, 4, 8]);
    return {
      offer: `o${index}`,
      provider: random.pick(["p", "q"]),
      location: random.pick(["l", "m"]),
      gpus,
      pricePerHour: new Big(random.integer(gpus * 150, gpus * 300)).div(100),
      ...(random.next() < 0.6 ? { stock: random.integer(0, 5) } : {}),
      ...(random.next() < 0.2
        ? { avoided: random.next() < 0.3 ? random.pick([10, 25, 100]) : Number.POSITIVE_INFINITY }
        : {}),
      ...(random.next() < 0.5 ? { worth: random.pick(["1.4", "2", "0.7"]) } : {}),
    };
  });
  const gpus = random.integer(1, 40);
  return {
    options,
    gpus,
    slack: random.pick([0, 0, 0, 1, 3, 10]),
    spread: random.pick(["any", "any", "same", Math.ceil(gpus / 3), Math.ceil(gpus / 2)]),
    cost: random.next() < 0.5 ? random.integer(gpus * 150, gpus * 320) : undefined,
  };
}

const INSTANCES = Array.from({ length: 400 }, (_, seed) => draw(seed));

function boundsOf({ gpus, slack, spread, cost }: Instance): Bounds {
  return {
    gpus,
    slack,
    cost: cost === undefined ? undefined : new Big(cost).div(100),
    spread: typeof spread === "number" ? () => spread : spread,
  };
}

/** In hundredths, so that a percent is a whole number. */
function avoiding({ avoided = 0, gpus }: Option, weight: number): number {
  return Number.isFinite(avoided) ? weight * (100 + avoided) : weight * 100 + 100_000_000 * gpus;
}

/** The options as if each did the same work and none were avoided. */
const plain = (options: readonly Option[]): readonly Option[] =>
  options.map(({ avoided: _avoided, worth: _worth, ...option }) => option);

const cents = ({ pricePerHour }: Option): number => Number(pricePerHour?.times(100));

/** The least of an objective over all mixes of from..to GPUs, by a solver that shares no line with ours. */
function optimum(
  { options, spread, cost }: Instance,
  [from, to]: readonly [number, number],
  objective: (option: Option) => number,
): number | undefined {
  const sum = (factor: (option: Option) => number, some = options): string =>
    some.map((option) => `${factor(option)} x${options.indexOf(option)}`).join(" + ");
  const spots = [...Map.groupBy(options, locality).values()];
  const rows = [
    `${sum(({ gpus }) => gpus)} >= ${from}`,
    `${sum(({ gpus }) => gpus)} <= ${to}`,
    ...(cost === undefined ? [] : [`${sum(cents)} <= ${cost}`]),
    ...(typeof spread === "number"
      ? spots.map((there) => `${sum(({ gpus }) => gpus, there)} <= ${spread}`)
      : []),
    // One spot is open, and what is put into another one is less than nothing.
    ...(spread === "same"
      ? [
          `${spots.map((_, index) => `y${index}`).join(" + ")} <= 1`,
          ...spots.map((there, index) => `${sum(({ gpus }) => gpus, there)} - ${to} y${index} <= 0`),
        ]
      : []),
  ];
  const names = options.map((_, index) => `x${index}`);
  const model = `Minimize
 obj: ${sum(objective)}
Subject To
${rows.map((row, index) => ` c${index}: ${row}`).join("\n")}
Bounds
${options.map(({ stock }, index) => ` 0 <= x${index}${stock === undefined ? "" : ` <= ${stock}`}`).join("\n")}
Generals
 ${names.join(" ")}
${spread === "same" ? `Binary\n ${spots.map((_, index) => `y${index}`).join(" ")}\n` : ""}End`;
  const result = highs.solve(model, { output_flag: false, mip_rel_gap: 0, mip_abs_gap: 0 });
  return result.Status === "Optimal" ? Math.round(result.ObjectiveValue) : undefined;
}

const total = (mix: readonly Option[], value: (option: Option) => number): number =>
  mix.reduce((sum, option) => sum + value(option), 0);

/** Every bound holds of what was chosen. */
function expectWithin(mix: readonly Option[], instance: Instance, from: number, to: number): void {
  const { options, spread, cost } = instance;
  const gpus = total(mix, (option) => option.gpus);
  expect(gpus).toBeGreaterThanOrEqual(from);
  expect(gpus).toBeLessThanOrEqual(to);
  for (const option of options) {
    const taken = mix.filter((each) => each.offer === option.offer).length;
    expect(taken).toBeLessThanOrEqual(option.stock ?? Number.POSITIVE_INFINITY);
  }
  const spots = [...Map.groupBy(mix, locality).values()];
  if (spread === "same") expect(spots.length).toBeLessThanOrEqual(1);
  if (typeof spread === "number")
    for (const there of spots) expect(total(there, (option) => option.gpus)).toBeLessThanOrEqual(spread);
  if (cost !== undefined) expect(total(mix, cents)).toBeLessThanOrEqual(cost);
}

/** A cent weighs more than any number of machines. */
const centsThenMachines = (option: Option): number => cents(option) * 100 + 1;

describe("equal to a MIP solver's optimum", () => {
  test("the cheapest mix, with stocks, spreads, slack and budgets", () => {
    let found = 0;
    for (const drawn of INSTANCES) {
      const instance = { ...drawn, options: plain(drawn.options) };
      const { gpus, slack } = instance;
      const mix = cheapestMix(instance.options, boundsOf(instance));
      const least = optimum(instance, [gpus, gpus + slack], centsThenMachines);
      expect(mix && total(mix, centsThenMachines)).toBe(least);
      expect(obstacle(instance.options, boundsOf(instance)) === undefined).toBe(mix !== undefined);
      if (!mix) continue;
      found += 1;
      expectWithin(mix, instance, gpus, gpus + slack);
    }
    // Neither all nor none of them can be met.
    expect(found).toBeGreaterThan(100);
    expect(found).toBeLessThan(300);
  });

  test("the least money by work, within a limit of real money and beside what is avoided", () => {
    // Whole numbers for all worths: 14 is a multiple of 1, 1.4, 2 and 0.7.
    const byWork = (option: Option): number => Math.round((cents(option) * 14) / Number(option.worth ?? 1));
    const bound: number[] = [];
    for (const instance of INSTANCES) {
      const { gpus, slack, options, cost } = instance;
      const weight = (option: Option): number => avoiding(option, byWork(option));
      const mix = cheapestMix(options, boundsOf(instance));
      expect(mix && total(mix, weight)).toBe(optimum(instance, [gpus, gpus + slack], weight));
      expect(obstacle(options, boundsOf(instance)) === undefined).toBe(mix !== undefined);
      if (!mix) continue;
      expectWithin(mix, instance, gpus, gpus + slack);
      const free = cheapestMix(options, { ...boundsOf(instance), cost: undefined }) ?? [];
      if (cost !== undefined && total(free, cents) > cost) bound.push(cost);
    }
    // In so many the mix that is best by work costs more than the limit, and another one does not.
    expect(bound.length).toBeGreaterThanOrEqual(10);
  });

  test("what is avoided only where others are dearer by more, or at any price as little of it as possible", () => {
    const weight = (option: Option): number => avoiding(option, cents(option));
    for (const drawn of INSTANCES.filter(({ options }) => options.some(({ avoided }) => avoided))) {
      const options = drawn.options.map(({ worth: _, ...option }) => option);
      const instance = { ...drawn, options, cost: undefined };
      const { gpus, slack } = instance;
      const mix = cheapestMix(instance.options, boundsOf(instance));
      expect(mix && total(mix, weight)).toBe(optimum(instance, [gpus, gpus + slack], weight));
    }
  });

  test("the most GPUs, and then the least money, where not all can be had", () => {
    let short = 0;
    for (const drawn of INSTANCES) {
      const instance = { ...drawn, options: plain(drawn.options) };
      const { gpus, options } = instance;
      if (cheapestMix(options, boundsOf(instance))) continue;
      // Whatever is missing can be had later.
      const later = options.map((option) => ({ ...option, offer: "single", gpus: 1, stock: undefined }));
      const start = startOfMix(options, [...options, ...later], boundsOf(instance));
      const most = Math.abs(optimum(instance, [0, gpus - 1], (option) => -option.gpus) ?? 0);
      expect(total(start, (option) => option.gpus)).toBe(most);
      expectWithin(start, instance, most, most);
      expect(total(start, cents)).toBe(optimum(instance, [most, most], cents));
      short += 1;
    }
    expect(short).toBeGreaterThan(50);
  });
});

test("ten thousand GPUs among 500 offers take some million steps", () => {
  const items = Array.from({ length: 500 }, (_, index) => ({
    size: [1, 2, 4, 8][index % 4] ?? 1,
    cost: (index * 7919) % 1000,
    stock: (index % 50) + 1,
  }));
  expect(fillings([{ items, most: 10_000 }], 10_000).steps).toBeLessThan(40e6);
  const endless = items.map((item) => ({ ...item, stock: Number.POSITIVE_INFINITY }));
  expect(fillings([{ items: endless, most: 10_000 }], 10_000).steps).toBeLessThan(1e6);
});
