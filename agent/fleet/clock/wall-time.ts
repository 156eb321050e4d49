import { DAY_MS } from "../../../ledger/instant.ts";

/*
 * What clocks on a wall show, and when. A wall time is kept in milliseconds as if it were UTC. Where a zone sets its clocks,
 * a wall time may not exist, or come twice.
 */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const two = "2-digit";
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: two, day: two },
    ...{ hour: two, minute: two, second: two },
  });
  formats.set(zone, format);
  return format;
}

/** Whether it is the name of a zone: of an offset such as +01:00 nobody knows when its clocks are set. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
}

/** What the clocks of a zone show at a moment, to the second. */
export function wallAt(zone: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, seconds);
}

/** When clocks show a wall time: of two such moments the first one, and of none the one at which they are set over it. */
export interface WallMoment {
  readonly at: number;
  readonly comes: "once" | "twice" | "never";
}

const found = new Map<string, WallMoment>();
const MOST_FOUND = 10_000;

export function momentOf(zone: string, wall: number): WallMoment {
  const key = `${zone} ${wall}`;
  const known = found.get(key);
  if (known) return known;
  if (found.size >= MOST_FOUND) found.clear();
  const moment = findMoment(zone, wall);
  found.set(key, moment);
  return moment;
}

function findMoment(zone: string, wall: number): WallMoment {
  // No zone is a day away from UTC: one of these lies before a change of the clocks, the other one after it.
  const offsets = [wall - DAY_MS, wall + DAY_MS].map((near) => wallAt(zone, near) - near);
  const shown = [...new Set(offsets.map((offset) => wall - offset))]
    .filter((at) => wallAt(zone, at) === wall)
    .sort((one, other) => one - other);
  const [first] = shown;
  if (first !== undefined) return { at: first, comes: shown.length > 1 ? "twice" : "once" };
  let [before, after] = [wall - Math.max(...offsets), wall - Math.min(...offsets)];
  while (after - before > 1000) {
    const middle = before + Math.floor((after - before) / 2000) * 1000;
    if (wallAt(zone, middle) >= wall) after = middle;
    else before = middle;
  }
  return { at: after, comes: "never" };
}

/** For people: 2026-03-29 02:30. */
export function wallText(wall: number): string {
  return new Date(wall).toISOString().slice(0, 16).replace("T", " ");
}
