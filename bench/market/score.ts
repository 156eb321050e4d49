import type { Run } from "./play.ts";
import { DAY_MS, HOUR_MS, type Tape } from "./tape.ts";

/** What a restart loses of the work of a GPU, in hours. */
export const RESTART_HOURS = 0.25;

/** The price of each offer in time, in USD an hour of one machine. */
export interface Prices {
  at(offer: number, ms: number): number;
  /** USD of one machine from one moment to another, at the prices of the time. */
  between(offer: number, from: number, to: number): number;
}

export function pricesOf(tape: Tape): Prices {
  const steps = tape.offers.map((_, offer) => {
    const changes = tape.events.flatMap(([at, kind, index, value]) =>
      kind === "p" && index === offer ? [{ at, price: value }] : [],
    );
    return [{ at: Number.NEGATIVE_INFINITY, price: tape.start[offer]?.[0] ?? 0 }, ...changes];
  });
  return {
    at: (offer, ms) => steps[offer]?.findLast(({ at }) => at <= ms)?.price ?? 0,
    between(offer, from, to) {
      return (steps[offer] ?? []).reduce((sum, { at, price }, index, all) => {
        const [begins, ends] = [Math.max(from, at), Math.min(to, all[index + 1]?.at ?? to)];
        return ends > begins ? sum + (price * (ends - begins)) / HOUR_MS : sum;
      }, 0);
    },
  };
}

export interface Score {
  /** USD for each GPU-hour that was of use: a restart loses some. */
  readonly usd: number;
  /** GPU-hours had, of those that were wanted. */
  readonly hours: number;
  readonly restarts: number;
}

/** What it cost to hold these machines, and what was had of the GPUs that were wanted. */
export function scoreOf(tape: Tape, runs: readonly Run[], wanted: number): Score {
  const prices = pricesOf(tape);
  const end = tape.days * DAY_MS;
  const inTime = runs
    .map((run) => ({ ...run, to: Math.min(run.to, end) }))
    .filter(({ from, to }) => to > from);
  const cost = inTime.reduce((sum, { offer, from, to, lost }) => {
    // A machine that somebody stops within its first hour has paid it (specification, section 1).
    const paid = lost || to === end ? to : Math.max(to, from + HOUR_MS);
    const held = (paid - from) / HOUR_MS;
    return sum + (tape.floats ? prices.between(offer, from, paid) : prices.at(offer, from) * held);
  }, 0);
  const changes = inTime
    .flatMap(({ from, to, gpus }) => [
      { at: from, gpus },
      { at: to, gpus: -gpus },
    ])
    .sort((one, other) => one.at - other.at);
  let [had, now, last] = [0, 0, 0];
  for (const { at, gpus } of changes) {
    had += (Math.min(now, wanted) * (at - last)) / HOUR_MS;
    [now, last] = [now + gpus, at];
  }
  // What runs in the place of what ran before begins anew.
  const begun = inTime.reduce((sum, { gpus }) => sum + gpus, 0);
  const restarts = Math.max(0, begun - wanted);
  return {
    usd: cost / (had - restarts * RESTART_HOURS),
    hours: had / ((wanted * end) / HOUR_MS),
    restarts,
  };
}
