import type { Context } from "../../../launch/facts/context.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { createMemory } from "../../../service/same/memory.ts";
import type { Metric } from "../wish/metric-wish.ts";
import { askedAt, type Schedule } from "../wish/schedule.ts";
import { parseWish } from "../wish/wish.ts";
import { askedByMetric } from "./metric-size.ts";
import { askedByPerson } from "./person-ask.ts";

/*
 * What a fleet asks for by all that its size follows: the largest that asks counts. `at` counts where none does.
 */

type Fleet = Pick<FleetRow, "wish" | "metric" | "work" | "ask">;
type Part = Partial<Pick<FleetRow, "part">>;
type Now = Pick<Context, "now">;

const besideOthers = createMemory<Schedule, Schedule>();

/** What a metric and a person ask for, whichever is more; undefined: neither asks. */
function askedByOthers(fleet: Fleet, context: Now): number | undefined {
  const [metric, person] = [askedByMetric(fleet), askedByPerson(fleet, context)];
  return metric === undefined ? person : Math.max(metric, person ?? 0);
}

/** The schedule in force. Where a metric or a person asks, its `at` asks for nothing: only its windows do. */
export function scheduleOf(fleet: Fleet, context: Now): Schedule | undefined {
  const { schedule } = parseWish(fleet.wish);
  if (!schedule || askedByOthers(fleet, context) === undefined) return schedule;
  return besideOthers.of(schedule, [], () => ({ ...schedule, at: 0 }));
}

/** A fleet by all that its size follows: the first part of one in several services has that of the whole, and no other part has any. */
export function asWhole(fleet: FleetRow): FleetRow {
  const { part, ...rest } = fleet;
  return part && part.of === fleet.name ? { ...rest, wish: part.whole } : fleet;
}

/** What is asked for at this moment, given back or not. Of a part that is its share, whatever the whole follows. */
export function askedNow(fleet: Fleet & Part, context: Now): number {
  const { gpus, work } = parseWish(fleet.wish);
  if (fleet.part) return gpus;
  const { wall } = context.now;
  if (work) return wall >= Date.parse(work.by) ? 0 : Math.min(gpus, fleet.work?.gpus ?? 0);
  const schedule = scheduleOf(fleet, context);
  const others = askedByOthers(fleet, context);
  const bySchedule = schedule && askedAt(schedule, wall).gpus;
  return Math.max(bySchedule ?? others ?? gpus, others ?? 0);
}

interface Sized {
  readonly gpus: number;
  readonly schedule?: Schedule | undefined;
  readonly metric?: Metric | undefined;
}

/** A wish with the most GPUs that it asks for by itself, or asks for now. Where its size follows nothing, as it is. */
export function atItsLargest<Of extends Sized>(wish: Of): Of {
  const { gpus, schedule, metric } = wish;
  if (metric) return { ...wish, gpus: metric.max };
  if (!schedule) return wish;
  return { ...wish, gpus: Math.max(gpus, schedule.at, ...schedule.entries.map((entry) => entry.gpus)) };
}
