import { Big } from "big.js";
import { elapsed, type Instant } from "../../../ledger/instant.ts";
import type { FleetRow, MetricRow } from "../../../ledger/rows.ts";
import { type Metric, stepOf } from "../wish/metric-wish.ts";
import { within } from "../wish/size-range.ts";
import { parseWish } from "../wish/wish.ts";

/*
 * How many GPUs a metric asks for. It goes from one size to the next by steps, each once more (or less) was asked for during
 * all of its time: by so many GPUs at most, and never past what was asked for meanwhile. Where nothing is known the size stays.
 */

type Known = NonNullable<MetricRow["known"]>;

/** Undefined: its fleet has none, or nothing was believed yet. */
export function askedByMetric({ wish, metric: row }: Pick<FleetRow, "wish" | "metric">): number | undefined {
  const { metric } = parseWish(wish);
  return metric && row?.known && within(metric, row.known.gpus);
}

/** The GPUs for a value, whatever there are now. `value`: a decimal of 0 or more. */
export function gpusFor(metric: Metric, value: string): number {
  const { target } = metric;
  const whole = (target === undefined ? new Big(value) : new Big(value).div(target)).round(0, Big.roundUp);
  return within(metric, Number(whole));
}

/** What is known after another answer. `mostApart`: answers that are further apart, in ms, have a break between them. */
export function nextKnown(
  metric: Metric,
  before: Known | undefined,
  value: string,
  at: Instant,
  mostApart: number,
): Known {
  const gpus = within(metric, before?.gpus ?? metric.at);
  const asked = gpusFor(metric, value);
  if (asked === gpus) return { value, at, gpus };
  const way = asked > gpus ? "up" : "down";
  // While nobody asked, as while no agent ran, nothing was asked for.
  const isBreak = before && elapsed(before.at, at) > mostApart;
  const goesOn = before?.run?.way === way && !isBreak ? before.run : { since: at, nearest: asked };
  const nearest = (way === "up" ? Math.min : Math.max)(goesOn.nearest, asked);
  const run = { way, since: goesOn.since, nearest } as const;
  const { most, afterMs } = stepOf(metric, way);
  if (elapsed(run.since, at) < afterMs) return { value, at, gpus, run };
  const step = Math.min(most, Math.abs(nearest - gpus));
  const next = way === "up" ? gpus + step : gpus - step;
  return { value, at, gpus: next, ...(next !== asked && { run: { way, since: at, nearest: asked } }) };
}
