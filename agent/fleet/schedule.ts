import { z } from "zod";
import { DAY_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { createMemory } from "../../service/same/memory.ts";
import { rangeShape } from "./size-range.ts";
import { isTimeZone, momentOf, wallAt } from "./wall-time.ts";
import { whole } from "./whole-number.ts";

/*
 * How many GPUs a fleet wants when. A window is open from a moment of its `from` to the next one of its `to`. Of the windows
 * that are open the largest counts, and without any `at`. A wall time that comes twice counts the first time, and one that
 * does not exist at the moment at which the clocks are set over it. All of it is a function of the moment.
 */

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MOST_ENTRIES = 20;

/** Each week on some days (0 is a Monday), or once. */
type When =
  | { readonly days: ReadonlySet<number>; readonly ofDay: number }
  | { readonly wall: number; readonly days?: never };

/** Undefined: it is none. */
function parseWhen(text: string): When | undefined {
  const [, date, on, hour, minute] =
    /^(?:(\d{4}-\d{2}-\d{2}) |([A-Z][A-Za-z,-]*) )?([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hour === undefined || minute === undefined) return undefined;
  const ofDay = (Number(hour) * 60 + Number(minute)) * MINUTE_MS;
  if (date === undefined) {
    const days = on === undefined ? DAYS.map((_, day) => day) : daysOf(on);
    return days && { days: new Set(days), ofDay };
  }
  const wall = Date.parse(`${date}T00:00:00Z`);
  // A 30 February is read as a day of March.
  const isDay = !Number.isNaN(wall) && new Date(wall).toISOString().startsWith(date);
  return isDay ? { wall: wall + ofDay } : undefined;
}

function daysOf(text: string): readonly number[] | undefined {
  const days = text.split(",").flatMap((part) => {
    const [first = -1, last = first, ...more] = part.split("-").map((day) => DAYS.indexOf(day));
    if (first < 0 || last < 0 || more.length > 0) return [Number.NaN];
    return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7);
  });
  return days.some(Number.isNaN) ? undefined : days;
}

const WHEN = 'expected a time such as "08:00", "Mon-Fri 08:00", "Sat,Sun 10:00" or "2026-12-24 18:00"';
const when = z.string({ error: WHEN }).refine((text) => parseWhen(text) !== undefined, { error: WHEN });

const ZONE = "expected an IANA time zone such as Europe/Berlin";
const zoneError = ({ input }: { readonly input?: unknown }): string =>
  input === undefined ? `${ZONE}: without one nobody knows when 08:00 is` : ZONE;

const entrySchema = z
  .strictObject({
    from: when.describe("08:00 each day, Mon-Fri 08:00, Sat,Sun 10:00, or once: 2026-12-24 18:00"),
    to: when.describe("the window is open until this comes next"),
    gpus: whole(0).describe("how many GPUs are wanted meanwhile"),
  })
  .superRefine(({ from, to }, context) => {
    const [begins, ends] = [parseWhen(from), parseWhen(to)];
    const issue = (message: string) => context.addIssue({ code: "custom", path: ["to"], message });
    if (!begins || !ends) return;
    if (begins.days && ends.days) {
      const same = [...begins.days].find((day) => begins.ofDay === ends.ofDay && ends.days.has(day));
      if (same !== undefined)
        issue(`expected another time than from, "${from}": on ${DAYS[same]} this window would never come`);
    } else if (begins.days || ends.days) issue("expected a date in from and in to, or in none");
    else if (ends.wall <= begins.wall)
      issue(`expected a moment after from, "${from}": this window would never come`);
  });

const shape = {
  timeZone: z
    .string({ error: zoneError })
    .refine(isTimeZone, { error: zoneError })
    .describe("whose clocks the times are of, such as Europe/Berlin"),
  entries: z
    .array(entrySchema)
    .nonempty("expected at least one window")
    .max(MOST_ENTRIES, `expected at most ${MOST_ENTRIES} windows`)
    .describe("of the windows that are open, the largest counts"),
};

/** As people write it, beside `gpus: { min, max, at }`. */
export const scheduleInput = z.strictObject(shape);

/** As a wish holds it. */
export const scheduleSchema = z.strictObject({ ...shape, ...rangeShape });
export type Schedule = z.output<typeof scheduleSchema>;
type Entry = Schedule["entries"][number];

/** What is asked for at a moment, and what follows. */
export interface Asked {
  readonly gpus: number;
  /** The next moment at which another number is asked for; undefined: none comes. */
  readonly next?: { readonly at: number; readonly gpus: number };
}

interface Span extends Asked {
  readonly from: number;
}

const spans = createMemory<Schedule, Span[]>();
const MOST_SPANS = 50;

/** `now`: milliseconds since 1970, as all moments here. */
export function askedAt(schedule: Schedule, now: number): Asked {
  const all = spans.of(schedule, [], () => []);
  const known = all.find(({ from, next }) => from <= now && now < (next?.at ?? Number.POSITIVE_INFINITY));
  if (known) return known;
  if (all.length >= MOST_SPANS) all.length = 0;
  const gpus = largestOpen(schedule, now);
  const next = nextChange(schedule, now, gpus);
  const span = { from: now, gpus, ...(next && { next }) };
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

export function isOpen({ from, to }: Entry, zone: string, now: number): boolean {
  const begun = newest(from, zone, now);
  return begun !== undefined && begun > (newest(to, zone, now) ?? Number.NEGATIVE_INFINITY);
}

/** The newest wall time of it whose moment has come. Wall times tell apart what the clocks were set over at once. */
function newest(text: string, zone: string, now: number): number | undefined {
  const walls = wallsOf(text, wallAt(zone, now) - WHOLE_WEEK_MS, wallAt(zone, now) + DAY_MS);
  return walls.findLast((wall) => momentOf(zone, wall).at <= now);
}

/** So long that each time of a week is in it, however the clocks are set. */
export const WHOLE_WEEK_MS = 8 * DAY_MS;

/** The wall times of it between two others; of one with a date itself, wherever it is. */
function wallsOf(text: string, from: number, to: number): readonly number[] {
  const parsed = parseWhen(text);
  if (!parsed) return [];
  if (!parsed.days) return [parsed.wall];
  const { days, ofDay } = parsed;
  const first = Math.floor(from / DAY_MS);
  return Array.from({ length: Math.ceil(to / DAY_MS) - first + 1 }, (_, index) => first + index)
    .filter((day) => days.has((day + 3) % 7))
    .map((day) => day * DAY_MS + ofDay);
}

/** Both ends of each window, between two moments; of those with a date all. */
export function edgesBetween({ timeZone, entries }: Schedule, from: number, to: number): readonly Edge[] {
  return entries.flatMap((entry, index) =>
    (["from", "to"] as const).flatMap((end) =>
      wallsOf(entry[end], wallAt(timeZone, from) - DAY_MS, wallAt(timeZone, to) + DAY_MS).map((wall) => ({
        ...{ index, end, wall, ...momentOf(timeZone, wall) },
        isDate: parseWhen(entry[end])?.days === undefined,
      })),
    ),
  );
}

interface Edge {
  readonly index: number;
  readonly end: "from" | "to";
  readonly wall: number;
  readonly at: number;
  readonly comes: "once" | "twice" | "never";
  readonly isDate: boolean;
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

function inOrder(edges: readonly Edge[]): readonly number[] {
  return [...new Set(edges.map(({ at }) => at))].sort((one, other) => one - other);
}
