import Big from "big.js";
import { describe, expect, test } from "vitest";
import {
  type Better,
  betterMachines,
  HORIZON_HOURS,
  type Leavable,
  type MoveTerms,
} from "../../agent/planning/choices/better-machines.ts";
import type { Option } from "../../agent/planning/mix/mix.ts";
import { Prng } from "../../simulator/prng.ts";

const OVERLAP_HOURS = 10 / 60;

function machine(id: string, gpus: number, price: number, wasted = 0): Leavable {
  return { id, gpus, price, wasted };
}

function option(offer: string, gpus: number, price: string, more: Partial<Option> = {}): Option {
  return { offer, provider: "p", location: "l", gpus, pricePerHour: new Big(price), ...more };
}

const TERMS: MoveTerms = { restartHours: 0.25, least: (leaves) => leaves / 10, spread: "any", atOnce: 0 };

function told(better: Better | undefined) {
  return better && [better.old.map(({ id }) => id), better.mix.map(({ offer }) => offer), better.saves];
}

describe("a move to cheaper machines", () => {
  test("leaves the dearest machine for the cheapest of its size", () => {
    const machines = [machine("a", 8, 18), machine("b", 8, 24), machine("c", 8, 20)];
    expect(told(betterMachines(machines, [option("x", 8, "16"), option("y", 8, "15")], TERMS))).toEqual([
      ["b"],
      ["y"],
      9,
    ]);
  });

  test("leaves several small ones for a large one, and a large one for several small ones", () => {
    const small = ["a", "b", "c", "d"].map((id) => machine(id, 2, 6));
    expect(told(betterMachines(small, [option("x", 8, "18")], TERMS))).toEqual([
      ["d", "c", "b", "a"],
      ["x"],
      6,
    ]);
    expect(told(betterMachines([machine("a", 8, 24)], [option("y", 4, "9")], TERMS))).toEqual([
      ["a"],
      ["y", "y"],
      6,
    ]);
  });

  test("is none that saves less than it has to, or less in six hours than it costs", () => {
    expect(betterMachines([machine("a", 8, 20)], [option("x", 8, "18.10")], TERMS)).toBeUndefined();
    expect(betterMachines([machine("a", 8, 20)], [option("x", 8, "18")], TERMS)).toBeDefined();
    expect(betterMachines([machine("a", 8, 20)], [option("x", 8, "16")], TERMS)).toBeDefined();
    expect(betterMachines([machine("a", 8, 20, 17)], [option("x", 8, "16")], TERMS)).toBeUndefined();
    const long = { ...TERMS, restartHours: 2 };
    expect(betterMachines([machine("a", 8, 20)], [option("x", 8, "16")], long)).toBeUndefined();
  });

  test("is of several machines at once as far as there is room, where each of them saves enough", () => {
    const machines = [machine("a", 1, 3), machine("b", 1, 3), machine("c", 1, 2.2), machine("d", 1, 2.1)];
    const options = [option("x", 1, "2", { stock: 9 })];
    const within = (atOnce: number) => betterMachines(machines, options, { ...TERMS, atOnce })?.old.length;
    // A tenth of the last one would be more than it saves.
    expect([0, 1, 2, 3, 4].map(within)).toEqual([1, 1, 2, 2, 2]);
    const dear = [machine("a", 1, 3), machine("b", 1, 3), machine("c", 1, 3)];
    expect(betterMachines(dear, options, { ...TERMS, atOnce: 8 })?.old).toHaveLength(3);
    const single = [option("x", 1, "2", { stock: 1 }), option("y", 1, "2.8")];
    expect(told(betterMachines(dear, single, { ...TERMS, atOnce: 8 }))).toEqual([["a"], ["x"], 1]);
  });

  test("compares prices by work", () => {
    const worth = option("x", 8, "24", { worth: "1.5" });
    expect(told(betterMachines([machine("a", 8, 20)], [worth], TERMS))).toEqual([["a"], ["x"], 4]);
  });
});

/** The most that any move gains over the horizon, found by trying all. */
function bestGain(machines: readonly Leavable[], options: readonly Option[], terms: MoveTerms): number {
  const there = machines.reduce((sum, { gpus }) => sum + gpus, 0);
  const largest = Math.max(...machines.map(({ gpus }) => gpus), ...options.map(({ gpus }) => gpus));
  const most = Math.min(there, largest);
  const cheapest = Array<number>(most + 1).fill(Number.POSITIVE_INFINITY);
  cheapest[0] = 0;
  const copies = options.flatMap((each) => Array<Option>(each.stock ?? most).fill(each));
  for (const { gpus, pricePerHour } of copies)
    for (let sum = most; sum >= gpus; sum--)
      cheapest[sum] = Math.min(cheapest[sum] ?? 0, (cheapest[sum - gpus] ?? 0) + Number(pricePerHour));
  let best = 0;
  for (let set = 1; set < 1 << machines.length; set++) {
    const old = machines.filter((_, index) => (set >> index) & 1);
    const gpus = old.reduce((sum, each) => sum + each.gpus, 0);
    const costs = cheapest[gpus] ?? Number.POSITIVE_INFINITY;
    const leaves = old.reduce((sum, { price }) => sum + price, 0);
    const wasted = old.reduce((sum, each) => sum + each.wasted, 0);
    if (!Number.isFinite(costs) || leaves - costs < terms.least(leaves)) continue;
    const gain =
      leaves * (HORIZON_HOURS - terms.restartHours) - wasted - costs * (HORIZON_HOURS + OVERLAP_HOURS);
    best = Math.max(best, gain);
  }
  return best;
}

function gainOf({ old, mix }: Better, { restartHours }: MoveTerms): number {
  const gains = old.map(({ price, wasted }) => price * (HORIZON_HOURS - restartHours) - wasted);
  const costs = mix.map(({ pricePerHour }) => Number(pricePerHour) * (HORIZON_HOURS + OVERLAP_HOURS));
  return gains.reduce((sum, each) => sum + each, 0) - costs.reduce((sum, each) => sum + each, 0);
}

test("no set of machines and no mix in their place gains more, where any gain is enough", () => {
  let found = 0;
  for (let seed = 0; seed < 300; seed++) {
    const random = new Prng(`better ${seed}`);
    const machines = Array.from({ length: random.integer(1, 8) }, (_, index) => {
      const gpus = random.pick([1, 2, 4, 8]);
      return machine(`m${index}`, gpus, gpus * (1.5 + random.next() * 2), random.pick([0, 0, random.next()]));
    });
    const options = Array.from({ length: random.integer(1, 5) }, (_, index) => {
      const gpus = random.pick([1, 2, 4, 8]);
      const stock = random.next() < 0.5 ? { stock: random.integer(1, 3) } : {};
      return option(`o${index}`, gpus, (gpus * (1.5 + random.next() * 2)).toFixed(2), stock);
    });
    const terms = { ...TERMS, restartHours: random.pick([0, 0.25, 1]), least: () => 0 };
    const better = betterMachines(machines, options, terms);
    expect(better ? gainOf(better, terms) : 0, `seed ${seed}`).toBeCloseTo(
      bestGain(machines, options, terms),
      6,
    );
    if (better) found++;
  }
  expect(found).toBeGreaterThan(50);
});
