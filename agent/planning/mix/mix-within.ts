import { fillings } from "./knapsack.ts";

/** What machines are chosen from. */
interface Sized {
  readonly gpus: number;
  readonly stock?: number | undefined;
  readonly worth?: string | undefined;
  readonly avoided?: number;
}

/** One way in which machines may stand: pools of options that share a locality's room. */
export type Way<T> = readonly { readonly options: readonly T[]; readonly most: number }[];

/** What options count for in the search, as whole numbers. */
export interface Scale<T> {
  /** What the mix is chosen by: money by worth, where every price is known, above it what is avoided. */
  weight(option: T): number;
  money(option: T): number;
  /** The most money of a mix. */
  readonly ceiling: number;
}

/** Machines that can be a part of a mix. */
interface Part<T> {
  readonly gpus: number;
  readonly money: number;
  readonly weight: number;
  readonly machines: number;
  options(): readonly T[];
}

/** Comparisons, a fraction of a second. 512 single GPUs of two worths take half of them. */
const MOST_STEPS = 500_000;

const NOTHING: readonly Part<never>[] = [{ gpus: 0, money: 0, weight: 0, machines: 0, options: () => [] }];

/**
 * The lightest mix of `from` to `to` GPUs whose money is within the ceiling, where the lightest of all is not. Exactly: among
 * options of one worth less money weighs less, so that of each number of their GPUs the cheapest machines suffice. Of joined
 * parts those are kept that no other of as many GPUs beats in weight and in money. Undefined: that would take too long.
 */
export function lightestWithin<T extends Sized>(
  ways: readonly Way<T>[],
  scale: Scale<T>,
  from: number,
  to: number,
): readonly T[] | undefined {
  let steps = 0;
  const join = (some: readonly Part<T>[], others: readonly Part<T>[], from: number, to: number) => {
    steps += some.length * others.length;
    return steps > MOST_STEPS ? [] : joined(some, others, from, to, scale.ceiling);
  };
  const all = (lists: readonly (readonly Part<T>[])[], from: number, to: number): readonly Part<T>[] => {
    const before = lists.slice(0, -1).reduce((one, other) => join(one, other, 0, to), NOTHING);
    return join(before, lists.at(-1) ?? NOTHING, from, to);
  };
  const found = ways.flatMap((pools) => {
    const of = pools.map(({ options, most }) => {
      const kinds = Map.groupBy(options, ({ worth, avoided }) => `${worth} ${avoided}`);
      return {
        most: Math.min(most, to),
        kinds: [...kinds.values()].map((kind) => partsOf(kind, most, to, scale)),
      };
    });
    const [only, ...others] = of;
    if (only && others.length === 0) return all(only.kinds, from, only.most);
    return all(
      of.map(({ kinds, most }) => all(kinds, 0, most)),
      from,
      to,
    );
  });
  return steps > MOST_STEPS ? undefined : found.sort(byWeight)[0]?.options();
}

/** Of each number of GPUs the cheapest machines of one worth. */
function partsOf<T extends Sized>(
  kind: readonly T[],
  most: number,
  to: number,
  { weight, money }: Scale<T>,
): readonly Part<T>[] {
  const items = kind.map((option) => ({
    size: option.gpus,
    cost: money(option),
    stock: option.stock ?? Number.POSITIVE_INFINITY,
  }));
  const found = fillings([{ items, most }], to);
  const parts = [...Array(to + 1).keys()].filter((gpus) => Number.isFinite(found.cost(gpus)));
  return parts.map((gpus) => {
    const [picks] = found.picks(gpus);
    const options = kind.flatMap((option, item) => Array<T>(picks?.[item] ?? 0).fill(option));
    const sum = options.reduce((total, option) => total + weight(option), 0);
    return { gpus, money: found.cost(gpus), weight: sum, machines: options.length, options: () => options };
  });
}

function joined<T>(
  some: readonly Part<T>[],
  others: readonly Part<T>[],
  from: number,
  to: number,
  ceiling: number,
): readonly Part<T>[] {
  const sums = new Map<number, Part<T>[]>();
  for (const one of some) {
    for (const other of others) {
      const [gpus, money] = [one.gpus + other.gpus, one.money + other.money];
      if (gpus < from || gpus > to || money > ceiling) continue;
      const part: Part<T> = {
        gpus,
        money,
        weight: one.weight + other.weight,
        machines: one.machines + other.machines,
        options: () => [...one.options(), ...other.options()],
      };
      const there = sums.get(gpus);
      if (there) there.push(part);
      else sums.set(gpus, [part]);
    }
  }
  return [...sums.values()].flatMap((parts) => {
    let least = Number.POSITIVE_INFINITY;
    return parts.sort(byWeight).filter(({ money }) => {
      if (money >= least) return false;
      least = money;
      return true;
    });
  });
}

/** Among equal weights the fewest machines, then the least money. */
function byWeight(one: Part<unknown>, other: Part<unknown>): number {
  return one.weight - other.weight || one.machines - other.machines || one.money - other.money;
}
