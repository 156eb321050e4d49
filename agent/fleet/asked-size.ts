import type { Context } from "../../launch/facts/context.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { createMemory } from "../../service/same/memory.ts";
import { askedByMetric } from "./metric-size.ts";
import type { Metric } from "./metric-wish.ts";
import { askedAt, type Schedule } from "./schedule.ts";
import type { Range } from "./size-range.ts";
import { parseWish } from "./wish.ts";

/*
 * What a fleet asks for by all that its size follows: the largest that asks counts. `at` counts where none does.
 */

type Fleet = Pick<FleetRow, "wish" | "metric" | "work">;

const besideMetric = createMemory<Schedule, Schedule>();

/** The schedule in force. Where a metric asks, its `at` asks for nothing: only its windows do. */
export function scheduleOf(fleet: Fleet): Schedule | undefined {
  const { schedule } = parseWish(fleet.wish);
  if (!schedule || askedByMetric(fleet) === undefined) return schedule;
  return besideMetric.of(schedule, [], () => ({ ...schedule, at: 0 }));
}

/** What is asked for at this moment, given back or not. */
export function askedNow(fleet: Fleet, { now }: Pick<Context, "now">): number {
  const { gpus, work } = parseWish(fleet.wish);
  if (work) return now.wall >= Date.parse(work.by) ? 0 : Math.min(gpus, fleet.work?.gpus ?? 0);
  const schedule = scheduleOf(fleet);
  const byMetric = askedByMetric(fleet);
  const bySchedule = schedule && askedAt(schedule, now.wall).gpus;
  return Math.max(bySchedule ?? byMetric ?? gpus, byMetric ?? 0);
}

interface Sized {
  readonly gpus: number;
  readonly schedule?: Schedule | undefined;
  readonly metric?: Metric | undefined;
  readonly work?: unknown;
}

/** The bounds of a size that follows something; undefined: it does not. */
export function rangeOf({ gpus, schedule, metric, work }: Sized): Range | undefined {
  return schedule ?? metric ?? (work ? { min: 0, max: gpus, at: 0 } : undefined);
}

/** A wish with the most GPUs that it may ever ask for. Where its size follows nothing, as it is. */
export function atItsLargest<Of extends Sized>(wish: Of): Of {
  const { schedule, metric } = wish;
  if (metric) return { ...wish, gpus: metric.max };
  if (!schedule) return wish;
  return { ...wish, gpus: Math.max(schedule.at, ...schedule.entries.map(({ gpus }) => gpus)) };
}
