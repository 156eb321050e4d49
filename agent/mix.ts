import Big from "big.js";
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
 * Undefined: no mix of these options fits. Takes (gpus + slack) * options steps.
 */
export function cheapestMix(
  options: readonly Option[],
  gpus: number,
  slack: number,
): readonly Option[] | undefined {
  if (gpus <= 0) return [];
  const priced = options.every((option) => option.pricePerHour !== undefined);
  const cost = (option: Option, rank: number): Big =>
    priced ? (option.pricePerHour ?? ZERO) : new Big(rank + 1).times(option.gpus);
  // best[n] is the best way to exactly n GPUs.
  const best: (Mix | undefined)[] = [{ cost: ZERO, machines: 0, last: undefined, before: undefined }];
  for (let n = 1; n <= gpus + slack; n++) {
    for (const [rank, option] of options.entries()) {
      const before = best[n - option.gpus];
      if (!before) continue;
      const mix = {
        cost: before.cost.plus(cost(option, rank)),
        machines: before.machines + 1,
        last: option,
        before,
      };
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

interface Mix {
  readonly cost: Big;
  readonly machines: number;
  readonly last: Option | undefined;
  readonly before: Mix | undefined;
}

const ZERO = new Big(0);

function isBetter(mix: Mix, than: Mix | undefined): boolean {
  if (!than) return true;
  const order = mix.cost.cmp(than.cost);
  return order < 0 || (order === 0 && mix.machines < than.machines);
}

function machinesOf(mix: Mix): readonly Option[] {
  const machines: Option[] = [];
  for (let at: Mix | undefined = mix; at?.last; at = at.before) machines.push(at.last);
  return machines;
}
