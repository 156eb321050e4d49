import Big from "big.js";
import { describe, expect, test } from "vitest";
import type { Option } from "../../agent/planning/mix/mix.ts";
import { cheapestMix, startOfMix } from "../../agent/planning/mix/mix.ts";
import { Prng } from "../../simulator/prng.ts";

function option(gpus: number, price: string | undefined, offer = `x${gpus}`): Option {
  return { offer, provider: "p", location: "l", gpus, pricePerHour: price ? new Big(price) : undefined };
}

/** Every multiset of the options that has gpus..gpus+slack GPUs. */
function allMixes(options: readonly Option[], gpus: number, slack: number): Option[][] {
  const mixes: Option[][] = [];
  const go = (from: number, mix: Option[], sum: number): void => {
    if (sum >= gpus) mixes.push(mix);
    for (let index = from; index < options.length; index++) {
      const next = options[index] as Option;
      if (sum + next.gpus <= gpus + slack) go(index, [...mix, next], sum + next.gpus);
    }
  };
  go(0, [], 0);
  return mixes;
}

const costOf = (mix: readonly Option[]): Big =>
  mix.reduce((sum, { pricePerHour }) => sum.plus(pricePerHour ?? 0), new Big(0));

/** Where a price is missing, the place in the order of the options counts, for each GPU. */
const rankOf = (mix: readonly Option[], options: readonly Option[]): Big =>
  mix.reduce((sum, each) => sum.plus((options.indexOf(each) + 1) * each.gpus), new Big(0));

const random = new Prng("mixes");
const cases = Array.from({ length: 400 }, (_, index) => {
  const priced = index % 3 !== 0;
  const options = Array.from({ length: random.integer(1, 5) }, (_each, rank) => {
    const gpus = random.pick([1, 2, 3, 4, 8]);
    const price = (random.integer(1, 60) / 4).toFixed(4);
    return option(gpus, priced || rank > 0 ? price : undefined, `offer${rank}`);
  });
  return { options, gpus: random.integer(1, 14), slack: random.pick([0, 0, 1, 3, 7]), priced };
});

describe("the cheapest mix", () => {
  test("is as good as the best of all mixes, in 400 random cases with and without prices", () => {
    for (const { options, gpus, slack, priced } of cases) {
      const score = (mix: readonly Option[]): Big => (priced ? costOf(mix) : rankOf(mix, options));
      const all = allMixes(options, gpus, slack);
      const found = cheapestMix(options, { gpus, slack });
      expect(found === undefined).toBe(all.length === 0);
      if (!found) continue;
      const total = found.reduce((sum, each) => sum + each.gpus, 0);
      expect(total).toBeGreaterThanOrEqual(gpus);
      expect(total).toBeLessThanOrEqual(gpus + slack);
      const least = all.map(score).reduce((one, other) => (one.lte(other) ? one : other));
      expect(score(found).toFixed()).toBe(least.toFixed());
      const fewest = Math.min(...all.filter((mix) => score(mix).eq(least)).map((mix) => mix.length));
      expect(found.length).toBe(fewest);
    }
  });

  test("is by work as good as the best of all mixes that a limit of money pays for, in 300 random cases", () => {
    let [dearer, beaten] = [0, 0];
    for (const drawn of cases.filter(({ priced, gpus, slack }) => priced && gpus + slack <= 14)) {
      const options = drawn.options.map((each) => ({
        ...each,
        worth: random.pick(["1", "1.4", "0.65", "3.333"]),
      }));
      // Whole numbers for all these worths, so that a price by work is exact.
      const work = (mix: readonly Option[]): number =>
        mix.reduce(
          (sum, { pricePerHour, worth }) =>
            sum + Math.round((Number(pricePerHour) * 4 * 303_303_000) / Number(worth)),
          0,
        );
      const all = allMixes(options, drawn.gpus, drawn.slack);
      const [cheapest] = all.sort((one, other) => costOf(one).cmp(costOf(other)));
      const [best] = all.toSorted((one, other) => work(one) - work(other));
      if (!cheapest || !best) continue;
      // Between what the cheapest mix costs and what the best by work costs.
      const cost = costOf(cheapest).plus(costOf(best)).div(2);
      const [least] = all
        .filter((mix) => costOf(mix).lte(cost))
        .sort((one, other) => work(one) - work(other) || one.length - other.length);
      const found = cheapestMix(options, { gpus: drawn.gpus, slack: drawn.slack, cost }) ?? [];
      expect(work(found)).toBe(work(least ?? []));
      expect(found).toHaveLength(least?.length ?? 0);
      expect(costOf(found).lte(cost)).toBe(true);
      if (costOf(best).gt(cost)) dearer += 1;
      if (work(found) < work(cheapest)) beaten += 1;
    }
    // The limit decides in some cases, and a mix between the two is found in some.
    expect(dearer).toBeGreaterThan(30);
    expect(beaten).toBeGreaterThan(10);
  });

  test("adds prices exactly: ten times 0.1 is no more than 1", () => {
    const [only] = cheapestMix([option(10, "1"), option(1, "0.1")], { gpus: 10, slack: 0 }) ?? [];
    expect(only?.gpus).toBe(10);
  });

  test("takes the first of two that cost the same", () => {
    const mix = cheapestMix([option(8, "16", "first"), option(8, "16", "second")], { gpus: 8, slack: 0 });
    expect(mix?.map(({ offer }) => offer)).toEqual(["first"]);
  });

  test("knows no machines without GPUs, though they be free", () => {
    expect(cheapestMix([option(0, "0.0001")], { gpus: 4, slack: 4 })).toBeUndefined();
    expect(cheapestMix([option(0, "0.0001"), option(4, "8")], { gpus: 4, slack: 0 })).toHaveLength(1);
  });

  test("is found for tens of thousands of GPUs among hundreds of offers", () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      option([1, 2, 4, 8][index % 4] ?? 1, `${index + 1}.1`, `o${index}`),
    );
    expect(cheapestMix(many, { gpus: 40_000, slack: 7 })?.reduce((sum, { gpus }) => sum + gpus, 0)).toBe(
      40_000,
    );
  });
});

describe("the start of a mix", () => {
  const eight = option(8, "16");
  const one = option(1, "2.5");

  test("is what can be had now, where the rest has to wait", () => {
    expect(startOfMix([eight], [eight, one], { gpus: 17, slack: 0 })).toEqual([eight, eight]);
  });

  test("is nothing where the rest could never be completed", () => {
    expect(startOfMix([eight], [eight], { gpus: 9, slack: 0 })).toEqual([]);
    expect(startOfMix([eight], [eight, option(2, "4")], { gpus: 9, slack: 0 })).toEqual([]);
  });

  test("uses the slack that the whole has", () => {
    expect(startOfMix([eight], [eight, option(2, "4")], { gpus: 9, slack: 1 })).toEqual([eight]);
  });
});
