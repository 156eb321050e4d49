/** Machines of one kind: the size and cost of each, and their number. All whole, but for `stock`. */
interface Item {
  readonly size: number;
  readonly cost: number;
  /** How many there are; `Infinity` where no limit is known. */
  readonly stock: number;
}

/** Items that share a limit: together they are never more than `most`. */
export interface Pool {
  readonly items: readonly Item[];
  readonly most: number;
}

/** The best way to each sum of sizes from 0 to a capacity. */
export interface Fillings {
  /** The least cost of exactly this sum; `Infinity`: nothing makes it. */
  cost(sum: number): number;
  /** The fewest items that cost so little. */
  machines(sum: number): number;
  /** How many of each item, by pool, in the order in which both were given. */
  picks(sum: number): readonly (readonly number[])[];
  /** Comparisons made: a measure of the time that it took. */
  readonly steps: number;
}

/**
 * The bounded knapsack, exactly: for each sum up to `capacity` the cheapest items that make it. Among equal
 * costs the fewest items win, then those that stand first.
 *
 * Each pool is filled by itself, then the pools are joined. The first one takes capacity * bundles steps,
 * where an item of stock n is log2(n) bundles. Each further one takes capacity * most steps, too.
 */
export function fillings(pools: readonly Pool[], capacity: number): Fillings {
  let all = nothing(capacity);
  let steps = 0;
  const layers = pools.map(({ items, most }) => {
    const limit = Math.max(0, Math.min(most, capacity));
    const filled = fillPool(items, limit);
    const before = all;
    all = nothing(capacity);
    /** How much of each sum this pool makes. */
    const share = new Int32Array(capacity + 1);
    const reached = sumsOf(before);
    for (const own of sumsOf(filled.best)) {
      const [ownCost, ownCount] = [cost(filled.best, own), count(filled.best, own)];
      for (const other of reached) {
        const sum = own + other;
        if (sum > capacity) break;
        steps += 1;
        // This runs millions of times: what is dearer goes no further.
        const newCost = (before.costs[other] as number) + ownCost;
        if (newCost > (all.costs[sum] as number)) continue;
        if (improve(all, sum, newCost, count(before, other) + ownCount)) share[sum] = own;
      }
    }
    steps += filled.steps;
    return { share, filled };
  });
  return {
    steps,
    cost: (sum) => cost(all, sum),
    machines: (sum) => count(all, sum),
    picks: (sum) => {
      let left = sum;
      const picked = [...layers].reverse().map(({ share, filled }) => {
        const own = share[left] ?? 0;
        left -= own;
        return filled.picks(own);
      });
      return picked.reverse();
    },
  };
}

interface Best {
  readonly costs: Float64Array;
  readonly machines: Int32Array;
}

function nothing(capacity: number): Best {
  const costs = new Float64Array(capacity + 1).fill(Number.POSITIVE_INFINITY);
  costs[0] = 0;
  return { costs, machines: new Int32Array(capacity + 1) };
}

function cost({ costs }: Best, sum: number): number {
  return costs[sum] ?? Number.POSITIVE_INFINITY;
}

function count({ machines }: Best, sum: number): number {
  return machines[sum] ?? 0;
}

function sumsOf(best: Best): Int32Array {
  return Int32Array.from(best.costs.keys()).filter((sum) => Number.isFinite(cost(best, sum)));
}

function improve(best: Best, sum: number, newCost: number, machines: number): boolean {
  const old = cost(best, sum);
  if (newCost > old || (newCost === old && machines >= count(best, sum))) return false;
  best.costs[sum] = newCost;
  best.machines[sum] = machines;
  return true;
}

interface FilledPool {
  readonly best: Best;
  readonly steps: number;
  picks(sum: number): readonly number[];
}

/** Machines of one item, taken together or not at all: 1, 2, 4, ... make every number up to the stock. */
interface Bundle {
  readonly item: number;
  readonly machines: number;
  readonly size: number;
  readonly cost: number;
}

function fillPool(items: readonly Item[], limit: number): FilledPool {
  const best = nothing(limit);
  let steps = 0;
  const layers = bundlesOf(items, limit).map((bundle) => {
    const taken = new Uint8Array(limit + 1);
    // From the top, so that no sum is made with the same bundle twice.
    for (let sum = limit; sum >= bundle.size; sum--) {
      steps += 1;
      const before = sum - bundle.size;
      const isBetter = improve(
        best,
        sum,
        cost(best, before) + bundle.cost,
        count(best, before) + bundle.machines,
      );
      if (isBetter) taken[sum] = 1;
    }
    return { bundle, taken };
  });
  const newestFirst = layers.toReversed();
  return {
    best,
    steps,
    picks: (sum) => {
      const picked = items.map(() => 0);
      let left = sum;
      for (const { bundle, taken } of newestFirst) {
        if (taken[left] !== 1) continue;
        picked[bundle.item] = (picked[bundle.item] ?? 0) + bundle.machines;
        left -= bundle.size;
      }
      return picked;
    },
  };
}

function bundlesOf(items: readonly Item[], limit: number): readonly Bundle[] {
  return worthwhile(items, limit).flatMap(({ index, machines: all }) => {
    const { size, cost } = items[index] as Item;
    const bundles: Bundle[] = [];
    for (let left = all, machines = 1; left > 0; left -= machines, machines *= 2) {
      const some = Math.min(machines, left);
      bundles.push({ item: index, machines: some, size: some * size, cost: some * cost });
    }
    return bundles;
  });
}

/** Of each size only the cheapest items that fill the limit: a dearer one is in no best filling. */
function worthwhile(
  items: readonly Item[],
  limit: number,
): readonly { readonly index: number; readonly machines: number }[] {
  const room = new Map<number, number>();
  return items
    .map((item, index) => ({ ...item, index }))
    .sort((one, other) => one.cost - other.cost)
    .flatMap(({ index, size, stock }) => {
      // Machines without GPUs would never add up.
      if (size <= 0) return [];
      const left = room.get(size) ?? Math.floor(limit / size);
      const machines = Math.min(stock, left);
      room.set(size, left - machines);
      return machines > 0 ? [{ index, machines }] : [];
    })
    .sort((one, other) => one.index - other.index);
}
