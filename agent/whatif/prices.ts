import { HOUR_MS } from "../../ledger/instant.ts";
import type { Tape } from "./tape.ts";

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
