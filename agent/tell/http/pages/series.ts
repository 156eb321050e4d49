import type { Stretch } from "../../../../ledger/chart-history.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../ledger/instant.ts";
import type { Held } from "./chart.ts";

export const RANGES = { "6h": 6, "24h": 24, "7d": 7 * 24, "30d": 30 * 24 } as const;
export type Range = keyof typeof RANGES;
export const RANGE_NAMES: readonly Range[] = ["6h", "24h", "7d", "30d"];

/** A day, or 6 hours if there is not more to show. */
export function defaultRange(stretches: readonly Stretch[], now: number): Range {
  const oldest = stretches[0]?.at ?? now;
  return oldest < now - rangeMs("6h") ? "24h" : "6h";
}

export function rangeMs(range: Range): number {
  return RANGES[range] * HOUR_MS;
}

/** If two looks are further apart, no agent looked in between. */
const GAP_MS = 5 * MINUTE_MS;

/** Stretches for a chart: cut to its time, each held until the next one; a gap where no agent looked. */
export function heldBy(
  stretches: readonly Stretch[],
  from: number,
  to: number,
  value: (stretch: Stretch) => number | null,
): readonly Held[] {
  return stretches.flatMap((stretch, index) => {
    const next = stretches[index + 1]?.at ?? to;
    const end = next - stretch.until <= GAP_MS ? next : stretch.until;
    const [begins, ends] = [Math.max(from, stretch.at), Math.min(to, end)];
    return ends < begins ? [] : [{ from: begins, to: ends, value: value(stretch) }];
  });
}

/** One of the three numbers (asked for, running, on the way), of all fleets together or of one. */
export function gpusOf(which: 0 | 1 | 2, fleet?: string): (stretch: Stretch) => number | null {
  return ({ fleets }) => {
    if (fleet !== undefined) return fleets[fleet]?.[which] ?? null;
    return Object.values(fleets).reduce((sum, counts) => sum + counts[which], 0);
  };
}
