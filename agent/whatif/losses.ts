import { DAY_MS } from "../../ledger/instant.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { Prng } from "../../simulator/prng.ts";
import { lossRateAt, type Stays } from "../planning/choices/loss-rate.ts";
import type { MarketEvent, Tape } from "./tape.ts";

/* Losses of machines that nobody had, drawn by what a ledger knows of its own. */

export interface Losses {
  /** Of all places together: machines that ended by themselves, and days that machines were there. */
  readonly losses: number;
  readonly machineDays: number;
  /** Offers that this ledger never had a machine of. */
  readonly neverRented: number;
  /** The losses of one seed, in order. */
  events(seed: number): readonly MarketEvent[];
}

/** No place holds more machines of these fleets than that: so many may be lost one by one. */
const MOST_MACHINES = 64;

/**
 * Each place has a rate of its own, drawn anew for each seed: by what was lost there, from what was lost everywhere on, which
 * weighs as much as half a loss. Undefined: this ledger had no machine, and nothing is known.
 */
export function lossesBy(
  stays: ReadonlyMap<string, Stays>,
  tape: Tape,
  mostGpus: number,
): Losses | undefined {
  const all = [...stays.values()];
  const losses = all.reduce((sum, each) => sum + each.losses, 0);
  const ms = all.reduce((sum, each) => sum + each.ms, 0);
  if (ms <= 0) return undefined;
  const everywhere = (0.5 * ms) / (losses + 0.5);
  const known = tape.offers.map((offer) => stays.get(combinationKey(offer)));
  return {
    losses,
    machineDays: ms / DAY_MS,
    neverRented: known.filter((each) => !each || each.ms <= 0).length,
    events: (seed) =>
      known
        .flatMap((each, index) => {
          const random = new Prng(`losses of ${index}, seed ${seed}`);
          const rate = lossRateAt(
            { losses: each?.losses ?? 0, ms: (each?.ms ?? 0) + everywhere },
            normal(random),
          );
          const machines = Math.min(MOST_MACHINES, Math.ceil(mostGpus / (tape.offers[index]?.gpus ?? 1)));
          return arrivals(random, rate * machines, tape.days).map(
            (at): MarketEvent => [at, "k", index, random.integer(0, machines - 1)],
          );
        })
        .sort(([one], [other]) => one - other),
  };
}

/** Moments of a Poisson process, so many a day on average, in ms. */
function arrivals(random: Prng, perDay: number, days: number): readonly number[] {
  const moments: number[] = [];
  if (perDay <= 0) return moments;
  const next = (): number => random.exponential(DAY_MS / perDay);
  for (let at = next(); at < days * DAY_MS; at += next()) moments.push(Math.round(at));
  return moments;
}

/** By Box and Muller. */
function normal(random: Prng): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** The tape, with these beside its own. */
export function withEvents(tape: Tape, more: readonly MarketEvent[]): Tape {
  return { ...tape, events: [...tape.events, ...more].sort(([one], [other]) => one - other) };
}
