import { stayOf } from "../../launch/ends/stay.ts";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, type Instant } from "../../ledger/instant.ts";
import { countStay, type StayDay, type StayDays } from "../../ledger/stay-days.ts";

/** What became of the machines that were launched in one combination. */
export type Stays = Readonly<StayDay>;

/** By the key of the combination: of so many days of UTC, today included. What other ledgers launched there is not known. */
export function staysByCombination(draft: Draft, days: number, now: Instant): ReadonlyMap<string, Stays> {
  const recent: StayDays = new Map();
  for (const row of draft.deployments.values()) {
    const stay = row.owner === null ? undefined : stayOf(draft, row, now);
    if (stay) countStay(recent, stay, 1);
  }
  const first = Math.floor(now.wall / DAY_MS) - days + 1;
  const records = new Map<string, Stays>();
  for (const places of [draft.archive.stays, recent])
    for (const [key, byDay] of places)
      for (const [day, found] of byDay)
        if (day >= first) records.set(key, sumOf(records.get(key) ?? NOTHING, found));
  return records;
}

const NOTHING: Stays = { launches: 0, failures: 0, losses: 0, ms: 0, toRun: [] };

function sumOf(one: Stays, other: Stays): Stays {
  return {
    launches: one.launches + other.launches,
    failures: one.failures + other.failures,
    losses: one.losses + other.losses,
    ms: one.ms + other.ms,
    toRun: [...one.toRun, ...other.toRun],
  };
}

/** How many machines are lost for each day that one is there, as far as is known. */
export interface LossRate {
  readonly mean: number;
  /** It is between these with a probability of 80%. */
  readonly low: number;
  readonly high: number;
}

/** Of a standard normal: one in ten is above it. */
const ONE_IN_TEN = 1.2816;

/**
 * Losses are taken for a Poisson process, and nothing is known of its rate before (the prior of Jeffreys): after so many losses
 * in so many machine-days it has a Gamma distribution of shape losses + 1/2 and rate machine-days. Undefined: no machine was there.
 */
export function lossRateOf({ losses, ms }: Stays): LossRate | undefined {
  if (ms <= 0) return undefined;
  const shape = losses + 0.5;
  const machineDays = ms / DAY_MS;
  const at = (normal: number): number => gammaQuantile(shape, normal) / machineDays;
  return { mean: shape / machineDays, low: at(-ONE_IN_TEN), high: at(ONE_IN_TEN) };
}

/** Of a Gamma distribution of this shape and rate 1, where a standard normal has its own: by Wilson and Hilferty, to some percent. */
function gammaQuantile(shape: number, normal: number): number {
  const variance = 1 / (9 * shape);
  return shape * Math.max(0, 1 - variance + normal * Math.sqrt(variance)) ** 3;
}
