import { combinationKey } from "../service/contract/contract.ts";
import { DAY_MS } from "./instant.ts";
import type { Stay } from "./rows.ts";

/** What the machines of one combination did on one day of UTC. */
export interface StayDay {
  launches: number;
  /** Launches of that day or an earlier one whose machine failed instead of running. */
  failures: number;
  /** Machines that ended by themselves. */
  losses: number;
  /** How long machines were there, all together. */
  ms: number;
  /** How long each launch of that day took until its machine ran, in ms, where that is known. */
  readonly toRun: number[];
}

/** By combination, then by the number of the day since 1970. */
export type StayDays = Map<string, Map<number, StayDay>>;

/** Counts a machine in (1), or takes out one that was counted in (-1). */
export function countStay(
  places: StayDays,
  { from, until, end, toRun, ...place }: Stay,
  times: 1 | -1,
): void {
  const key = combinationKey(place);
  const days = places.get(key) ?? new Map<number, StayDay>();
  places.set(key, days);
  const on = (day: number): StayDay => {
    const known = days.get(day) ?? { launches: 0, failures: 0, losses: 0, ms: 0, toRun: [] };
    days.set(day, known);
    return known;
  };
  const [first, last] = [Math.floor(from / DAY_MS), Math.floor(until / DAY_MS)];
  on(first).launches += times;
  if (end === "failed") on(last).failures += times;
  if (end === "lost") on(last).losses += times;
  if (toRun !== undefined) putToRun(on(first).toRun, toRun, times);
  // One that never ran was no machine that could be lost.
  if (end === "failed") return;
  for (let day = first; day <= last; day++)
    on(day).ms += times * (Math.min(until, (day + 1) * DAY_MS) - Math.max(from, day * DAY_MS));
}

function putToRun(all: number[], ms: number, times: 1 | -1): void {
  if (times === 1) all.push(ms);
  else if (all.includes(ms)) all.splice(all.indexOf(ms), 1);
}

/** So many days are read at most, today included. */
const READ_DAYS = 30;

/** A copy without what is read no more and has a number for each launch. Today is its newest day, or a later one. */
export function copyOfStayDays(places: StayDays): StayDays {
  const copyOf = (days: ReadonlyMap<number, StayDay>): Map<number, StayDay> => {
    const newest = Math.max(...days.keys());
    return new Map(
      [...days].map(([day, known]) => [
        day,
        { ...known, toRun: day > newest - READ_DAYS ? [...known.toRun] : [] },
      ]),
    );
  };
  return new Map([...places].map(([key, days]) => [key, copyOf(days)]));
}
