import { z } from "zod";
import { createMemory } from "../../../service/same/memory.ts";
import {
  anyWindowShape,
  edgesBetween,
  inOrder,
  isOpen,
  thatComes,
  WHOLE_WEEK_MS,
  windowsShape,
} from "../clock/windows.ts";
import { whole } from "../text/whole-number.ts";
import { rangeShape } from "./size-range.ts";

/*
 * How many GPUs a fleet wants when. Of the windows that are open the largest counts, and without any `at`. All of it is a
 * function of the moment.
 */

const entrySchema = z
  .strictObject({ ...anyWindowShape, gpus: whole(0).describe("how many GPUs are wanted meanwhile") })
  .superRefine(thatComes);

const shape = windowsShape(entrySchema, "of the windows that are open, the largest counts");

/** As people write it, beside `gpus: { min, max, at }`. */
export const scheduleInput = z.strictObject(shape);

/** As a wish holds it. */
export const scheduleSchema = z.strictObject({ ...shape, ...rangeShape });
export type Schedule = z.output<typeof scheduleSchema>;

/** What is asked for at a moment, and what follows. */
export interface Asked {
  readonly gpus: number;
  /** The next moment at which another number is asked for; undefined: none comes. */
  readonly next?: { readonly at: number; readonly gpus: number };
}

interface Span extends Asked {
  readonly from: number;
  readonly until: number;
}

const spans = createMemory<Schedule, Span[]>();
const MOST_SPANS = 50;

/** `now`: milliseconds since 1970, as all moments here. */
export function askedAt(schedule: Schedule, now: number): Asked {
  const all = spans.of(schedule, [], () => []);
  const known = all.find(({ from, until }) => from <= now && now < until);
  if (known) return known;
  if (all.length >= MOST_SPANS) all.length = 0;
  const gpus = largestOpen(schedule, now);
  const next = nextChange(schedule, now, gpus);
  // What an expression of cron brings in years, nobody looked at.
  const looked = schedule.entries.some(({ cron }) => cron !== undefined) ? now + WHOLE_WEEK_MS : undefined;
  const until = next?.at ?? looked ?? Number.POSITIVE_INFINITY;
  const span = { from: now, until, gpus, ...(next && { next }) };
  all.push(span);
  return span;
}

/** The first moment from `since` on at which more is asked for than right before it. */
export function nextRise(schedule: Schedule, since: number): number | undefined {
  let { gpus, next } = askedAt(schedule, since);
  while (next && next.gpus < gpus) ({ gpus, next } = askedAt(schedule, next.at));
  return next?.at;
}

function largestOpen({ timeZone, at, entries }: Schedule, now: number): number {
  const open = entries.filter((entry) => isOpen(entry, timeZone, now));
  return open.length === 0 ? at : Math.max(...open.map(({ gpus }) => gpus));
}

function nextChange(schedule: Schedule, now: number, gpus: number): Asked["next"] {
  const dates = edgesBetween(schedule, now, now).filter(({ isDate, at }) => isDate && at > now);
  // What changes nothing for a week changes something again after a date at the earliest.
  for (const since of [now, ...inOrder(dates)]) {
    const until = since + WHOLE_WEEK_MS;
    const edges = edgesBetween(schedule, since, until).filter(({ at }) => at >= since && at <= until);
    for (const at of inOrder(edges)) {
      const then = largestOpen(schedule, at);
      if (then !== gpus) return { at, gpus: then };
    }
  }
  return undefined;
}
