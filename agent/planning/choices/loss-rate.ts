import { stayOf } from "../../../launch/ends/stay.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { DAY_MS, type Instant } from "../../../ledger/instant.ts";
import { countStay, type StayDay, type StayDays } from "../../../ledger/stay-days.ts";

/** What became of the machines that were launched in one combination. */
export type Stays = Readonly<StayDay>;

/** By the key of the combination: of so many days of UTC, today included. What other ledgers launched there is not known. */
export function staysByCombination(draft: Draft, days: number, now: Instant): ReadonlyMap<string, Stays> {
  const first = Math.floor(now.wall / DAY_MS) - days + 1;
  const records = new Map<string, Stays>();
  for (const [key, day, found] of staysByDay(draft, now))
    if (day >= first) records.set(key, sumOf(records.get(key) ?? NOTHING, found));
  return records;
}

/** By the key of the combination and the number of the day since 1970. Of one day there may be two, which add up. */
export function staysByDay(draft: Draft, now: Instant): readonly (readonly [string, number, Stays])[] {
  const recent: StayDays = new Map();
  for (const row of draft.deployments.values()) {
    const stay = row.owner === null ? undefined : stayOf(draft, row, now);
    if (stay) countStay(recent, stay, 1);
  }
  return [draft.archive.stays, recent].flatMap((places) =>
    [...places].flatMap(([key, days]) => [...days].map(([day, found]) => [key, day, found] as const)),
  );
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
  const at = (normal: number): number => lossRateAt({ losses, ms }, normal);
  return { mean: (losses + 0.5) / (ms / DAY_MS), low: at(-ONE_IN_TEN), high: at(ONE_IN_TEN) };
}

/** The rate where a standard normal has this value: of a drawn value, a rate that is drawn. */
export function lossRateAt({ losses, ms }: Pick<Stays, "losses" | "ms">, normal: number): number {
  return gammaQuantile(losses + 0.5, normal) / (ms / DAY_MS);
}

/** Of a Gamma distribution of this shape and rate 1, where a standard normal has its own: by Wilson and Hilferty, to some percent. */
function gammaQuantile(shape: number, normal: number): number {
  const variance = 1 / (9 * shape);
  return shape * Math.max(0, 1 - variance + normal * Math.sqrt(variance)) ** 3;
}
