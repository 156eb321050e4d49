import type { Combination } from "../service/contract.ts";
import type { Usd } from "../service/money.ts";

/** A combination that may be launched now. */
export interface Option extends Combination {
  readonly gpus: number;
  /** USD an hour for one machine; undefined where nobody knows it. */
  readonly pricePerHour: Usd | undefined;
}

/**
 * The machines that together have at least `gpus` GPUs and at most `slack` more, for the least money an hour; fewer
 * machines where that is equal, then the options that stand first. Where a price is missing, nobody can say what is
 * cheapest: then the order of the options is the preference.
 *
 * Undefined: no mix of these options fits. Takes (gpus + slack) * (different sizes of machines) steps.
 */
export function cheapestMix(
  options: readonly Option[],
  gpus: number,
  slack: number,
): readonly Option[] | undefined {
  if (gpus <= 0) return [];
  const sizes = cheapestOfEachSize(options);
  // best[n] is the best way to exactly n GPUs.
  const best: (Mix | undefined)[] = [{ cost: 0n, machines: 0, last: undefined, before: undefined }];
  for (let n = 1; n <= gpus + slack; n++) {
    best[n] = undefined;
    for (const { option, cost } of sizes) {
      const before = best[n - option.gpus];
      if (!before) continue;
      const mix = { cost: before.cost + cost, machines: before.machines + 1, last: option, before };
      if (isBetter(mix, best[n])) best[n] = mix;
    }
  }
  let chosen: Mix | undefined;
  for (let n = gpus; n <= gpus + slack; n++) {
    const mix = best[n];
    if (mix && isBetter(mix, chosen)) chosen = mix;
  }
  return chosen && machinesOf(chosen);
}

/**
 * As much of a mix as can be had now, where the rest has to wait: the most GPUs that `now` makes exactly, and that `all`
 * can complete later. Without it one combination that is sold out would keep all others of the mix from being launched.
 */
export function startOfMix(
  now: readonly Option[],
  all: readonly Option[],
  gpus: number,
  slack: number,
): readonly Option[] {
  const first = reachable(now, gpus);
  const rest = reachable(all, gpus + slack);
  const completes = (missing: number): boolean => {
    for (let n = missing; n <= missing + slack; n++) if (rest[n]) return true;
    return false;
  };
  for (let n = gpus - 1; n > 0; n--) {
    if (first[n] && completes(gpus - n)) return cheapestMix(now, n, 0) ?? [];
  }
  return [];
}

interface Mix {
  readonly cost: bigint;
  readonly machines: number;
  readonly last: Option | undefined;
  readonly before: Mix | undefined;
}

/** All machines of one size are equal but for their cost: only the cheapest of them, or the first, can be in the best mix. */
function cheapestOfEachSize(
  options: readonly Option[],
): readonly { readonly option: Option; readonly cost: bigint }[] {
  const priced = options.every((option) => option.pricePerHour !== undefined);
  const sizes = new Map<number, { option: Option; cost: bigint }>();
  for (const [rank, option] of options.entries()) {
    // Nothing can be made of machines without GPUs, and they would never add up.
    if (option.gpus <= 0) continue;
    const cost = priced ? exactly(option.pricePerHour) : BigInt((rank + 1) * option.gpus);
    const known = sizes.get(option.gpus);
    if (!known || cost < known.cost) sizes.set(option.gpus, { option, cost });
  }
  return [...sizes.values()];
}

/** In units of 10^-12 USD, the finest that prices are read with: whole numbers add up exactly, and fast. */
function exactly(price: Usd | undefined): bigint {
  return BigInt(price?.times(1e12).toFixed(0) ?? 0);
}

function isBetter(mix: Mix, than: Mix | undefined): boolean {
  if (!than) return true;
  return mix.cost < than.cost || (mix.cost === than.cost && mix.machines < than.machines);
}

function machinesOf(mix: Mix): readonly Option[] {
  const machines: Option[] = [];
  for (let at: Mix | undefined = mix; at?.last; at = at.before) machines.push(at.last);
  return machines;
}

/** Which numbers of GPUs these options make exactly. */
function reachable(options: readonly Option[], most: number): readonly boolean[] {
  const sizes = [...new Set(options.map(({ gpus }) => gpus))].filter((gpus) => gpus > 0);
  const can = [true];
  for (let n = 1; n <= most; n++) can[n] = sizes.some((size) => can[n - size] === true);
  return can;
}
