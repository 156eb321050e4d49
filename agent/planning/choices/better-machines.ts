import { mixesUpTo, type Option, type Spread } from "../mix/mix.ts";
import { pricePerWork } from "./options.ts";

/*
 * Which machines to leave for which others. A move is worth what it saves over a fixed time less what it costs, so it is one
 * number, and at constant prices each move lowers what the fleet costs: it cannot go round.
 */

/** Over so many hours a move has to save more than it costs. */
export const HORIZON_HOURS = 6;

/** For how long both are paid for, where the new machines come first. */
export const OVERLAP_HOURS = 10 / 60;

/** A machine that may be left. */
export interface Leavable {
  readonly id: string;
  readonly gpus: number;
  /** USD an hour, by the work that it does. */
  readonly price: number;
  /** USD that are paid for it already, and not used if it is left now. */
  readonly wasted: number;
}

export interface Better {
  readonly old: readonly Leavable[];
  readonly mix: readonly Option[];
  readonly gpus: number;
  /** USD an hour, by work. */
  readonly saves: number;
}

export interface MoveTerms {
  /** Work that a machine loses that is replaced. */
  readonly restartHours: number;
  /** What a move has to save an hour that leaves machines of this price: USD, by work. */
  readonly least: (leaves: number) => number;
  readonly spread: Spread;
  /** So many GPUs may go at once; at least as many as the largest machine has. */
  readonly atOnce: number;
  /** All of the machines go, or none. */
  readonly isWhole?: boolean;
}

/**
 * The move that saves most over the horizon, for any number of GPUs up to that of the largest machine; undefined: none is worth
 * it. For each number the machines whose end saves most go, and the cheapest mix comes. Several machines go at once only where
 * each step up saves as much as a move has to. Options have to have prices.
 */
export function betterMachines(
  machines: readonly Leavable[],
  options: readonly Option[],
  { restartHours, least, spread, atOnce, isWhole }: MoveTerms,
): Better | undefined {
  const there = machines.reduce((sum, { gpus }) => sum + gpus, 0);
  const largest = [...machines, ...options].reduce((most, { gpus }) => Math.max(most, gpus), 0);
  const most = Math.min(there, Math.max(largest, atOnce));
  const mixes = mixesUpTo(options, { gpus: most, spread });
  const gains = machines.map(({ price, wasted }) => price * (HORIZON_HOURS - restartHours) - wasted);
  const setOf = bestSets(machines, gains, most);
  let best: (Better & { readonly gain: number; readonly leaves: number }) | undefined;
  for (const mix of mixes) {
    const gpus = mix.reduce((sum, each) => sum + each.gpus, 0);
    const chosen = setOf(gpus);
    if (!chosen || (isWhole && chosen.length < machines.length)) continue;
    const old = chosen.map((index) => machines[index] as Leavable);
    const leaves = old.reduce((sum, { price }) => sum + price, 0);
    const costs = mix.reduce((sum, each) => sum + pricePerWork(each) * each.gpus, 0);
    const gain =
      chosen.reduce((sum, index) => sum + (gains[index] ?? 0), 0) - costs * (HORIZON_HOURS + OVERLAP_HOURS);
    const saves = leaves - costs;
    const less = gpus > largest ? best : undefined;
    const isEnough = saves - (less?.saves ?? 0) >= least(leaves - (less?.leaves ?? 0));
    if (gain <= (best?.gain ?? 0) || !isEnough) continue;
    best = { old, mix, gpus, saves, gain, leaves };
  }
  return best;
}

/** For each number of GPUs the machines that have exactly so many and the greatest sum of gains, as indexes; undefined: none have. */
function bestSets(
  machines: readonly Leavable[],
  gains: readonly number[],
  most: number,
): (gpus: number) => readonly number[] | undefined {
  const sums = [0, ...Array<number>(most).fill(Number.NEGATIVE_INFINITY)];
  const takes = machines.map(({ gpus }, index) => {
    const taken = new Uint8Array(most + 1);
    for (let sum = most; sum >= gpus; sum--) {
      const withIt = (sums[sum - gpus] ?? 0) + (gains[index] ?? 0);
      if (withIt <= (sums[sum] ?? 0)) continue;
      sums[sum] = withIt;
      taken[sum] = 1;
    }
    return taken;
  });
  return (gpus) => {
    if (!Number.isFinite(sums[gpus])) return undefined;
    const set: number[] = [];
    let left = gpus;
    for (let index = machines.length - 1; index >= 0; index--) {
      if (takes[index]?.[left] !== 1) continue;
      set.push(index);
      left -= machines[index]?.gpus ?? 0;
    }
    return set;
  };
}
