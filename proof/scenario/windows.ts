import type { Schedule } from "../../agent/fleet/wish/schedule.ts";
import { type FleetSpec, ZONES } from "./scenario.ts";

/*
 * A fleet's windows, as the truth has them: in milliseconds from the start of the world. What the fleet file says of them is
 * a wall time of a zone whose clocks are never set, so that its distance from UTC is known here, too.
 */

const MINUTE = 60_000;
const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** No more than this was ever asked for by a fleet of the proof. */
export const MOST = 64;

interface Span {
  readonly from: number;
  readonly until: number;
  readonly gpus: number;
}

/** What it asks for from a moment on, one number after the other. */
export function sizesFrom(fleet: FleetSpec, started: number, now: number): readonly Span[] {
  const { work, gpus: most } = fleet;
  const by = started + (work?.byMs ?? 0);
  const over = { from: Math.max(now, by), until: Number.POSITIVE_INFINITY, gpus: 0 };
  if (work) return now < by ? [{ from: now, until: by, gpus: most }, over] : [over];
  const windows = windowsOf(fleet, started);
  const edges = [...new Set(windows.flatMap(({ from, until }) => [from, until]))]
    .filter((at) => at > now)
    .sort((one, other) => one - other);
  return [now, ...edges].map((from, index) => {
    const open = windows.filter((each) => each.from <= from && from < each.until);
    const gpus = open.length === 0 ? fleet.gpus : Math.max(...open.map((each) => each.gpus));
    return { from, until: edges[index] ?? Number.POSITIVE_INFINITY, gpus };
  });
}

/** Each begins and ends with a minute. */
export function opensAt(started: number, ms: number): number {
  return Math.ceil((started + ms) / MINUTE) * MINUTE;
}

function windowsOf({ schedule }: FleetSpec, started: number): readonly Span[] {
  const minute = (ms: number): number => opensAt(started, ms);
  const windows = schedule?.windows ?? [];
  return windows.map(({ fromMs, toMs, gpus }) => ({ from: minute(fromMs), until: minute(toMs), gpus }));
}

/** As its file says it. */
export function scheduleOf(fleet: FleetSpec, started: number): { readonly schedule?: Schedule } {
  const { schedule, gpus } = fleet;
  if (!schedule) return {};
  const text = (at: number): string => {
    const wall = new Date(at + ZONES[schedule.zone] * MINUTE);
    const [date, time] = [wall.toISOString().slice(0, 10), wall.toISOString().slice(11, 16)];
    return `${schedule.weekly ? DAYS[wall.getUTCDay()] : date} ${time}`;
  };
  const [first, ...others] = windowsOf(fleet, started).map((each) => ({
    ...{ from: text(each.from), to: text(each.until) },
    gpus: each.gpus,
  }));
  if (!first) return {};
  return { schedule: { timeZone: schedule.zone, entries: [first, ...others], min: 0, max: MOST, at: gpus } };
}
