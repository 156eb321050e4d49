import { z } from "zod";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../ledger/instant.ts";
import { durationOf, durationSchema, milliseconds } from "../../../service/text/duration.ts";
import { cronWalls, isCron, shortestGap } from "./cron.ts";
import { isTimeZone, momentOf, type WallMoment, wallAt, wallText } from "./wall-time.ts";

/*
 * Windows of time, by the clock of a zone. One is open from a moment of its `from` to the next one of its `to`. A wall time that
 * comes twice counts the first time, and one that does not exist at the moment at which the clocks are set over it.
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

const windowShape = {
  from: when.describe("08:00 each day, Mon-Fri 08:00, Sat,Sun 10:00, or once: 2026-12-24 18:00"),
  to: when.describe("the window is open until this comes next"),
};

const CRON =
  'expected five fields of cron: minute, hour, day, month and day of the week, such as "0 8 * * 1-5"';

/** A window by its two ends, or by an expression of cron and how long it is open. */
export const anyWindowShape = {
  from: windowShape.from.optional(),
  to: windowShape.to.optional(),
  cron: z
    .string({ error: CRON })
    .refine(isCron, { error: CRON })
    .optional()
    .describe("in the place of from: five fields of cron, such as 0 8 * * 1-5"),
  for: durationSchema.optional().describe("with cron: how long the window is open, such as 12h"),
};

interface Window {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly cron?: string | undefined;
  readonly for?: string | undefined;
}

/** Refuses a window that is of neither kind, and one that never comes. */
export function thatComes(window: Window, context: z.RefinementCtx): void {
  const { from, to, cron, for: lasts } = window;
  const issue = (path: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message });
  if (cron === undefined && lasts === undefined) {
    if (from === undefined) issue("from", WHEN);
    if (to === undefined) issue("to", WHEN);
    if (from !== undefined && to !== undefined) endsThatCome({ from, to }, context);
    return;
  }
  for (const end of ["from", "to"] as const)
    if (window[end] !== undefined) issue(end, "expected none beside cron and for");
  if (cron === undefined) issue("cron", `expected one beside for: ${CRON}`);
  else if (lasts === undefined) issue("for", "expected how long the window is open, such as 12h");
  else if (isCron(cron)) runsThatCome(cron, lasts, issue);
}

function runsThatCome(cron: string, lasts: string, issue: (path: string, message: string) => void): void {
  const gap = shortestGap(cron);
  if (gap === undefined) issue("cron", "expected a moment that comes: this one never does");
  else if (gap < HOUR_MS)
    // All that come within a week are looked at: windows of every minute took ten minutes of a core.
    issue("cron", `expected moments that are an hour apart or more: these come every ${durationOf(gap)}`);
  else if (milliseconds(lasts) > gap)
    issue("for", `expected at most ${durationOf(gap)}: after that "${cron}" may come again`);
}

function endsThatCome(
  { from, to }: { readonly from: string; readonly to: string },
  context: z.RefinementCtx,
): void {
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
}

/** Windows, and whose clocks they go by. */
export function windowsShape<Entry extends z.ZodType>(entry: Entry, meaning: string) {
  return {
    timeZone: z
      .string({ error: zoneError })
      .refine(isTimeZone, { error: zoneError })
      .describe("whose clocks the times are of, such as Europe/Berlin"),
    entries: z
      .array(entry)
      .nonempty("expected at least one window")
      .max(MOST_ENTRIES, `expected at most ${MOST_ENTRIES} windows`)
      .describe(meaning),
  };
}

/** Windows in which something may begin. */
export const windowsSchema = z.strictObject(
  windowsShape(z.strictObject(windowShape).superRefine(thatComes), "in each of them it may begin"),
  {
    error: ({ code }) =>
      code === "invalid_type"
        ? 'expected { timeZone: Europe/Berlin, entries: [{ from: "22:00", to: "06:00" }] }'
        : undefined,
  },
);

export interface Windows {
  readonly timeZone: string;
  readonly entries: readonly Window[];
}

/** From when on one is open: `now`, if one is; undefined: none comes any more. All moments are in milliseconds since 1970. */
export function opensAt({ timeZone, entries }: Windows, now: number): number | undefined {
  const isAnyOpen = (at: number): boolean => entries.some((entry) => isOpen(entry, timeZone, at));
  if (isAnyOpen(now)) return now;
  // A window of each week may be one that the clocks are set over, once.
  const edges = edgesBetween({ timeZone, entries }, now, now + 2 * WHOLE_WEEK_MS);
  return inOrder(edges).find((at) => at > now && isAnyOpen(at));
}

/** For people: `from 2026-11-28 22:00 on (Europe/Berlin)`. */
export function opensText({ timeZone }: Windows, at: number): string {
  return `from ${wallText(wallAt(timeZone, at))} on (${timeZone})`;
}

export function isOpen(window: Window, zone: string, now: number): boolean {
  const { from = "", to = "", cron } = window;
  if (cron !== undefined)
    return runsBetween(window, zone, now, now).some(({ at, end }) => at <= now && now < end);
  const begun = newest(from, zone, now);
  return begun !== undefined && begun > (newest(to, zone, now) ?? Number.NEGATIVE_INFINITY);
}

interface Run extends WallMoment {
  readonly wall: number;
  /** When the window ends that begins then. */
  readonly end: number;
}

/** The windows of an expression of cron that may be open between two moments, and `more` later ones. */
function runsBetween(
  { cron = "", for: lasts = "0s" }: Window,
  zone: string,
  from: number,
  to: number,
  more = 0,
): readonly Run[] {
  const ms = milliseconds(lasts);
  return cronWalls(cron, wallAt(zone, from) - ms - DAY_MS, wallAt(zone, to) + DAY_MS, more).map((wall) => {
    const moment = momentOf(zone, wall);
    return { wall, ...moment, end: moment.at + ms };
  });
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
export function edgesBetween({ timeZone, entries }: Windows, from: number, to: number): readonly Edge[] {
  return entries.flatMap((entry, index) => {
    if (entry.cron !== undefined) return cronEdges(entry, index, timeZone, from, to);
    return (["from", "to"] as const).flatMap((end) =>
      wallsOf(entry[end] ?? "", wallAt(timeZone, from) - DAY_MS, wallAt(timeZone, to) + DAY_MS).map(
        (wall) => ({
          ...{ index, end, wall, ...momentOf(timeZone, wall) },
          isDate: parseWhen(entry[end] ?? "")?.days === undefined,
        }),
      ),
    );
  });
}

/** An expression of cron may come once a year: what comes next is told as a date is. */
const LATER_RUNS = 10;

function cronEdges(entry: Window, index: number, zone: string, from: number, to: number): readonly Edge[] {
  return runsBetween(entry, zone, from, to, LATER_RUNS).flatMap(({ wall, at, comes, end }) => {
    const isDate = at > to + DAY_MS;
    return [
      { index, end: "from" as const, wall, at, comes, isDate },
      { index, end: "to" as const, wall: wallAt(zone, end), at: end, comes: "once" as const, isDate },
    ];
  });
}

interface Edge {
  readonly index: number;
  readonly end: "from" | "to";
  readonly wall: number;
  readonly at: number;
  readonly comes: "once" | "twice" | "never";
  readonly isDate: boolean;
}

export function inOrder(edges: readonly Edge[]): readonly number[] {
  return [...new Set(edges.map(({ at }) => at))].sort((one, other) => one - other);
}
