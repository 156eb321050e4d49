import Big from "big.js";
import type { Combination } from "../../../service/contract/contract.ts";
import type { Usd } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { fillings } from "./knapsack.ts";
import { lightestWithin, type Scale, type Way } from "./mix-within.ts";

/** A combination that may be launched. */
export interface Option extends Combination {
  readonly gpus: number;
  /** USD an hour for one machine; undefined: not known. */
  readonly pricePerHour: Usd | undefined;
  /** Work that one of its GPUs does, as a decimal of at most 3 places: prices are compared by work. Undefined: 1. */
  readonly worth?: string | undefined;
  /** What its offer says of the GPU's model. */
  readonly model?: string | undefined;
  /** What else of its offer a launch sends. */
  readonly extra?: Offer["extra"];
  /** How many machines of it can be had now; undefined: not known. */
  readonly stock?: number | undefined;
  /**
   * In percent: how much dearer another one may be that is taken in its place. `Infinity`: as few of its GPUs are taken as the
   * budget allows.
   */
  readonly avoided?: number;
}

/** The key of a location of a provider. Machines in one locality may be lost together. */
export function locality({ provider, location }: Pick<Combination, "provider" | "location">): string {
  return JSON.stringify([provider, location]);
}

/** Where the machines of a mix may stand: anywhere, all in one locality, or in each locality what it has room for. */
export type Spread = "any" | "same" | ((locality: string) => number);

/** What a mix has to keep to. */
export interface Bounds {
  /** At least so many GPUs. */
  readonly gpus: number;
  /** At most so many GPUs more. */
  readonly slack: number;
  /** USD an hour that all of it may cost, whatever it is worth. Where it is set, options without a price are not taken. */
  readonly cost?: Usd | undefined;
  readonly spread?: Spread;
}

/**
 * The cheapest machines that together have at least `gpus` GPUs and at most `slack` more: those with the least sum of
 * price by worth. Among equal sums the fewest machines win, then the options that stand first. Where a price is missing,
 * the cheapest mix is not known: then the order of the options is the preference. Undefined: no mix keeps to the bounds.
 */
export function cheapestMix(options: readonly Option[], bounds: Bounds): readonly Option[] | undefined {
  const { gpus, slack } = bounds;
  return gpus <= 0 ? [] : solve(options, bounds).best(gpus, gpus + slack);
}

/**
 * As much of a mix as can be had now, where the rest has to wait: the most GPUs that `now` makes, and that
 * machines of the sizes in `all` can complete later, anywhere and at any price. Without it one sold-out
 * combination would keep back all others, and a budget that is too small for all would launch nothing.
 */
export function startOfMix(
  now: readonly Option[],
  all: readonly Option[],
  bounds: Bounds,
): readonly Option[] {
  const { gpus, slack, spread } = bounds;
  if (spread === "same") return startInOneLocality(now, all, bounds);
  const first = solve(now, bounds);
  const rest = solve(endless(all), { gpus, slack });
  for (let n = gpus - 1; n > 0; n--) {
    if (rest.has(gpus - n, gpus - n + slack) && first.has(n, n)) return first.best(n, n) ?? [];
  }
  return [];
}

/** The cheapest mix of exactly each number of GPUs up to `gpus`, where there is one. */
export function mixesUpTo(
  options: readonly Option[],
  { gpus, ...bounds }: Omit<Bounds, "slack">,
): readonly (readonly Option[])[] {
  const solution = solve(options, { ...bounds, gpus, slack: 0 });
  return Array.from({ length: Math.max(0, gpus) }, (_, index) => solution.best(index + 1, index + 1)).filter(
    (mix) => mix !== undefined,
  );
}

/** The bound that leaves no mix, found by adding one after the other; undefined: there is a mix. */
export function obstacle(
  options: readonly Option[],
  bounds: Bounds,
): "sizes" | "spread" | "stock" | "cost" | undefined {
  const { gpus, slack, spread = "any" } = bounds;
  if (cheapestMix(options, bounds)) return undefined;
  const all = endless(options);
  if (!cheapestMix(all, { gpus, slack })) return "sizes";
  if (spread !== "any" && !cheapestMix(all, { gpus, slack, spread })) return "spread";
  return cheapestMix(options, { gpus, slack, spread }) ? "cost" : "stock";
}

/** The options as if all GPUs did the same work: what a limit pays for is asked of money. */
export function byMoney(options: readonly Option[]): readonly Option[] {
  return options.map(({ worth: _, ...option }) => option);
}

/** The options as if none were ever sold out. */
function endless(options: readonly Option[]): readonly Option[] {
  return options.map(({ stock: _, ...option }) => option);
}

/** The start with the most GPUs in one locality; among equals the cheapest one. */
function startInOneLocality(
  now: readonly Option[],
  all: readonly Option[],
  bounds: Bounds,
): readonly Option[] {
  const starts = [...Map.groupBy(now, locality)].map(([where, options]) => {
    const there = all.filter((option) => locality(option) === where);
    const start = startOfMix(options, there, { ...bounds, spread: "any" });
    return { start, gpus: start.reduce((sum, { gpus }) => sum + gpus, 0) };
  });
  const most = Math.max(0, ...starts.map(({ gpus }) => gpus));
  const those = new Set(starts.filter(({ gpus }) => gpus === most).flatMap(({ start }) => start));
  const options = now.filter((option) => those.has(option));
  return most > 0 ? (cheapestMix(options, { ...bounds, gpus: most, slack: 0 }) ?? []) : [];
}

interface Solution {
  /** Whether some mix has at least `from` and at most `to` GPUs. */
  has(from: number, to: number): boolean;
  best(from: number, to: number): readonly Option[] | undefined;
}

/** Solves for all numbers of GPUs at once, up to those of the bounds. */
function solve(options: readonly Option[], bounds: Bounds): Solution {
  const { cost, spread = "any" } = bounds;
  const usable = options.filter(
    ({ gpus, pricePerHour }) => gpus > 0 && (cost === undefined || pricePerHour !== undefined),
  );
  // A mix with as much slack as its largest machine has GPUs could do without that machine.
  const largest = most(
    1,
    usable.map(({ gpus }) => gpus),
  );
  const capacity = bounds.gpus + Math.min(bounds.slack, largest - 1);
  const scale = scaleOf(usable, capacity, cost);
  const ways = waysOf(usable, spread);
  const lightest = solveFor(ways, scale.weight, capacity);
  const cheapest =
    cost === undefined || scale.weight === scale.money ? lightest : solveFor(ways, scale.money, capacity);
  const has = (from: number, to: number): boolean => cheapest.least(from, to) <= scale.ceiling;
  return {
    has,
    best(from, to) {
      if (!has(from, to)) return undefined;
      const mix = lightest.best(from, to);
      const isPaid =
        cost === undefined || mix.reduce((sum, each) => sum + scale.money(each), 0) <= scale.ceiling;
      if (isPaid) return mix;
      // Where the exact one would take too long, the cheapest by money.
      return lightestWithin(ways, scale, from, Math.min(to, capacity)) ?? cheapest.best(from, to);
    },
  };
}

interface Lightest {
  /** What the lightest mix of `from` to `to` GPUs weighs; `Infinity`: nothing makes it. */
  least(from: number, to: number): number;
  best(from: number, to: number): readonly Option[];
}

function solveFor(
  ways: readonly Way<Option>[],
  weight: (option: Option) => number,
  capacity: number,
): Lightest {
  const filled = ways.map((pools) => {
    const items = pools.map(({ options, most }) => ({
      most,
      items: options.map((option) => ({
        size: option.gpus,
        cost: weight(option),
        stock: option.stock ?? Number.POSITIVE_INFINITY,
      })),
    }));
    return { pools, found: fillings(items, capacity) };
  });
  const bestOf = (from: number, to: number) => {
    let best: { readonly way: (typeof filled)[number]; readonly sum: number } | undefined;
    for (const way of filled) {
      for (let sum = from; sum <= Math.min(to, capacity); sum++) {
        const cost = way.found.cost(sum);
        const than = best?.way.found.cost(best.sum) ?? Number.POSITIVE_INFINITY;
        const isBetter =
          cost < than ||
          (best !== undefined &&
            cost === than &&
            way.found.machines(sum) < best.way.found.machines(best.sum));
        if (isBetter) best = { way, sum };
      }
    }
    return best;
  };
  return {
    least(from, to) {
      const best = bestOf(from, to);
      return best?.way.found.cost(best.sum) ?? Number.POSITIVE_INFINITY;
    },
    best(from, to) {
      const best = bestOf(from, to);
      if (!best) return [];
      const picks = best.way.found.picks(best.sum);
      return best.way.pools.flatMap(({ options }, pool) =>
        options.flatMap((option, item) => {
          const machines = picks[pool]?.[item] ?? 0;
          return machines > 0 ? Array<Option>(machines).fill(option) : [];
        }),
      );
    },
  };
}

/** Each way in which machines may stand. */
function waysOf(options: readonly Option[], spread: Spread): readonly Way<Option>[] {
  const anywhere = Number.POSITIVE_INFINITY;
  if (spread === "any") return [[{ options, most: anywhere }]];
  const localities = [...Map.groupBy(options, locality)];
  if (spread === "same") return localities.map(([, there]) => [{ options: there, most: anywhere }]);
  return [localities.map(([where, there]) => ({ options: there, most: spread(where) }))];
}

function scaleOf(options: readonly Option[], capacity: number, cost: Usd | undefined): Scale<Option> {
  const priced = options.every((option) => option.pricePerHour !== undefined);
  const worths = [...new Set(options.map(worthOf))];
  const factors = new Map(priced ? factorsOf(worths) : worths.map((worth) => [worth, 1]));
  const factor = (option: Option): number => factors.get(worthOf(option)) ?? 1;
  const decimals = priced ? decimalsOf(options, capacity, most(1, [...factors.values()])) : 0;
  const units = (amount: Usd | undefined): number =>
    Number(amount?.times(10 ** decimals).toFixed(0, Big.roundDown) ?? 0);
  const ranks = new Map(options.map((option, rank) => [option, rank + 1]));
  const money = (option: Option): number =>
    priced ? units(option.pricePerHour) : (ranks.get(option) ?? 0) * option.gpus;
  const plain = worths.length > 1 ? (option: Option) => money(option) * factor(option) : money;
  const ceiling = cost === undefined ? Number.MAX_VALUE : units(cost);
  const isAtAnyPrice = ({ avoided = 0 }: Option): boolean =>
    avoided === Number.POSITIVE_INFINITY || (avoided > 0 && !priced);
  const isAvoided = options.some(({ avoided }) => avoided);
  const counted = (option: Option): number =>
    isAvoided ? plain(option) * (isAtAnyPrice(option) ? 100 : 100 + (option.avoided ?? 0)) : plain(option);
  if (!options.some(isAtAnyPrice)) return { weight: counted, money, ceiling };
  // More than any mix weighs without penalties: as few GPUs of what is avoided at any price come first.
  const penalty = capacity * most(0, options.map(counted)) + 1;
  const weight = (option: Option): number =>
    counted(option) + (isAtAnyPrice(option) ? penalty * option.gpus : 0);
  return { weight, money, ceiling };
}

/** In thousandths. */
function worthOf({ worth = "1" }: Option): number {
  return Math.round(Number(worth) * 1000);
}

/** The largest factor: above it, worths are taken for their ratios to six digits. */
const MOST_FACTOR = 1e6;

/** For each worth the whole number that money is multiplied by, so that it is divided by the worth and stays whole. */
function factorsOf(worths: readonly number[]): readonly (readonly [number, number])[] {
  const multiple = worths.reduce((one, other) => (one / divisorOf(one, other)) * other, 1);
  const [least, whole] = [Math.min(...worths), multiple / Math.min(...worths) <= MOST_FACTOR];
  return worths.map((worth) => [worth, whole ? multiple / worth : Math.round((MOST_FACTOR * least) / worth)]);
}

function divisorOf(one: number, other: number): number {
  return other === 0 ? one : divisorOf(other, one % other);
}

/** The decimals that make prices whole numbers; fewer for an absurd price, so that sums stay exact. */
function decimalsOf(options: readonly Option[], capacity: number, factor: number): number {
  const prices = options.flatMap(({ pricePerHour }) => pricePerHour ?? []);
  const percents = options.map(({ avoided = 0 }) => avoided);
  const dearer = percents.some((percent) => percent > 0)
    ? 100 + most(0, percents.filter(Number.isFinite))
    : 1;
  const penalty = percents.includes(Number.POSITIVE_INFINITY) ? capacity + 1 : 1;
  const largest = most(1, prices.map(Number)) * factor * dearer * (capacity + 1) * penalty;
  let decimals = most(
    0,
    prices.map(({ c, e }) => c.length - 1 - e),
  );
  while (decimals > 0 && largest * 10 ** decimals > Number.MAX_SAFE_INTEGER) decimals--;
  return decimals;
}

/** The largest, and no less than `least`. A service may list more offers than one call can have arguments. */
function most(least: number, numbers: readonly number[]): number {
  return numbers.reduce((largest, number) => Math.max(largest, number), least);
}
