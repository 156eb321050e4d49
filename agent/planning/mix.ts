import Big from "big.js";
import type { Combination } from "../../service/contract.ts";
import type { Usd } from "../../service/money.ts";
import { fillings } from "./knapsack.ts";

/** A combination that may be launched. */
export interface Option extends Combination {
  readonly gpus: number;
  /** USD an hour for one machine; undefined where nobody knows it. */
  readonly pricePerHour: Usd | undefined;
  /** How many machines of it can be had now; undefined where nobody knows. */
  readonly stock?: number | undefined;
  /** Its place just lost machines: used for as few GPUs as possible, unless the budget needs the cheapest. */
  readonly avoided?: true;
}

/** A location of a provider: what machines share that are lost together. */
export function spot({ provider, location }: Pick<Combination, "provider" | "location">): string {
  return JSON.stringify([provider, location]);
}

/** How a mix may stand: anywhere, all in one spot, or no more GPUs in a spot than it has room for. */
export type Spread = "any" | "same" | ((spot: string) => number);

/** What a mix has to keep to. */
export interface Bounds {
  /** At least so many GPUs. */
  readonly gpus: number;
  /** And at most so many more. */
  readonly slack: number;
  /** USD an hour that all of it may cost. Where it is set, what has no price is not taken. */
  readonly cost?: Usd | undefined;
  readonly spread?: Spread;
}

/**
 * The machines that together have at least `gpus` GPUs and at most `slack` more, for the least money an hour;
 * fewer machines where that is equal, then the options that stand first. Where a price is missing, nobody can
 * say what is cheapest: then the order of the options is the preference.
 *
 * Undefined: no mix of these options keeps to the bounds.
 */
export function cheapestMix(options: readonly Option[], bounds: Bounds): readonly Option[] | undefined {
  const { gpus, slack } = bounds;
  return gpus <= 0 ? [] : solve(options, bounds).best(gpus, gpus + slack);
}

/**
 * As much of a mix as can be had now, where the rest has to wait: the most GPUs that `now` makes, and that
 * machines of the sizes in `all` can complete, wherever and for whatever that is to be had later. Without it
 * one combination that is sold out would keep all others of the mix from being launched, and a budget that is
 * too small for all would leave nothing.
 */
export function startOfMix(
  now: readonly Option[],
  all: readonly Option[],
  bounds: Bounds,
): readonly Option[] {
  const { gpus, slack, spread } = bounds;
  if (spread === "same") return startInOneSpot(now, all, bounds);
  const first = solve(now, bounds);
  const rest = solve(endless(all), { gpus, slack });
  for (let n = gpus - 1; n > 0; n--) {
    if (rest.has(gpus - n, gpus - n + slack) && first.has(n, n)) return first.best(n, n) ?? [];
  }
  return [];
}

/** The bound that keeps these options from making a mix, adding one by one. Undefined: nothing does. */
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

/** As if none of it were ever sold out. */
function endless(options: readonly Option[]): readonly Option[] {
  return options.map(({ stock: _, ...option }) => option);
}

/** Where one spot is as far as another, the cheaper start. */
function startInOneSpot(now: readonly Option[], all: readonly Option[], bounds: Bounds): readonly Option[] {
  const starts = [...Map.groupBy(now, spot)].map(([where, options]) => {
    const there = all.filter((option) => spot(option) === where);
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

/** Solves it once for all numbers of GPUs up to those of the bounds. */
function solve(options: readonly Option[], bounds: Bounds): Solution {
  const { cost, spread = "any" } = bounds;
  const usable = options.filter(
    ({ gpus, pricePerHour }) => gpus > 0 && (cost === undefined || pricePerHour !== undefined),
  );
  // More slack than the largest machine has is of no use: that machine could go.
  const largest = most(
    1,
    usable.map(({ gpus }) => gpus),
  );
  const capacity = bounds.gpus + Math.min(bounds.slack, largest - 1);
  const weights = weightsOf(usable, capacity, cost);
  const solutions = weights.map((weight) => solveFor(usable, weight, spread, capacity));
  return {
    has: (from, to) => solutions.some((solution) => solution.has(from, to)),
    best(from, to) {
      for (const solution of solutions) {
        const mix = solution.best(from, to);
        if (mix) return mix;
      }
      return undefined;
    },
  };
}

function solveFor(
  options: readonly Option[],
  { weight, fits }: Weight,
  spread: Spread,
  capacity: number,
): Solution {
  const ways = waysOf(options, spread).map((pools) => {
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
    let best: { readonly way: (typeof ways)[number]; readonly sum: number } | undefined;
    for (const way of ways) {
      for (let sum = from; sum <= Math.min(to, capacity); sum++) {
        const cost = way.found.cost(sum);
        if (!fits(cost)) continue;
        const than = best?.way.found.cost(best.sum) ?? Number.POSITIVE_INFINITY;
        const isBetter =
          best === undefined ||
          cost < than ||
          (cost === than && way.found.machines(sum) < best.way.found.machines(best.sum));
        if (isBetter) best = { way, sum };
      }
    }
    return best;
  };
  return {
    has: (from, to) => bestOf(from, to) !== undefined,
    best(from, to) {
      const best = bestOf(from, to);
      if (!best) return undefined;
      const picks = best.way.found.picks(best.sum);
      return best.way.pools.flatMap(({ options }, pool) =>
        options.flatMap((option, item) => Array<Option>(picks[pool]?.[item] ?? 0).fill(option)),
      );
    },
  };
}

/** The options that share a spot's room, in each of the ways in which machines may stand. */
function waysOf(
  options: readonly Option[],
  spread: Spread,
): readonly (readonly { readonly options: readonly Option[]; readonly most: number }[])[] {
  const anywhere = Number.POSITIVE_INFINITY;
  if (spread === "any") return [[{ options, most: anywhere }]];
  const spots = [...Map.groupBy(options, spot)];
  if (spread === "same") return spots.map(([, there]) => [{ options: there, most: anywhere }]);
  return [spots.map(([where, there]) => ({ options: there, most: spread(where) }))];
}

/** What an option counts for in the search, as a whole number, and which sums of it may be paid. */
interface Weight {
  weight(option: Option): number;
  /** False for `Infinity`, too: nothing makes it. */
  fits(sum: number): boolean;
}

/** In the order in which they are tried: first so that as little as possible of what is avoided is taken. */
function weightsOf(options: readonly Option[], capacity: number, cost: Usd | undefined): readonly Weight[] {
  const priced = options.every((option) => option.pricePerHour !== undefined);
  const decimals = priced ? decimalsOf(options, capacity) : 0;
  const units = (amount: Usd | undefined): number =>
    Number(amount?.times(10 ** decimals).toFixed(0, Big.roundDown) ?? 0);
  const ranks = new Map(options.map((option, rank) => [option, rank + 1]));
  const plain = (option: Option): number =>
    priced ? units(option.pricePerHour) : (ranks.get(option) ?? 0) * option.gpus;
  const ceiling = cost === undefined ? Number.MAX_SAFE_INTEGER : units(cost);
  const fits = (sum: number): boolean => sum <= ceiling;
  if (!options.some(({ avoided }) => avoided)) return [{ weight: plain, fits }];
  // More than any mix weighs otherwise: what is left of a division by it is what the mix weighs without it.
  const penalty = capacity * most(0, options.map(plain)) + 1;
  return [
    {
      weight: (option) => plain(option) + (option.avoided ? penalty * option.gpus : 0),
      fits: (sum) => Number.isFinite(sum) && fits(sum % penalty),
    },
    { weight: plain, fits },
  ];
}

/** Decimals that make prices whole numbers with exact sums; fewer where a price is absurd. */
function decimalsOf(options: readonly Option[], capacity: number): number {
  const prices = options.flatMap(({ pricePerHour }) => pricePerHour ?? []);
  const avoided = options.some((option) => option.avoided) ? capacity + 1 : 1;
  const largest = most(1, prices.map(Number)) * (capacity + 1) * avoided;
  let decimals = most(
    0,
    prices.map((price) => price.toFixed().split(".")[1]?.length ?? 0),
  );
  while (decimals > 0 && largest * 10 ** decimals > Number.MAX_SAFE_INTEGER) decimals--;
  return decimals;
}

/** The largest, and no less than `least`. A service may list more offers than one call can have arguments. */
function most(least: number, numbers: readonly number[]): number {
  return numbers.reduce((largest, number) => Math.max(largest, number), least);
}
