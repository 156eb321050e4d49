import { Cron } from "croner";
import { DAY_MS } from "../../../ledger/instant.ts";

/*
 * Moments by a cron expression, as wall times: milliseconds as if the clocks on the wall were those of UTC. When these come in a
 * zone, and what its daylight saving does, is the same for all windows (windows.ts).
 */

const parsed = new Map<string, Cron | undefined>();
const MOST_PARSED = 1_000;

/** Undefined: it is none of five fields. */
function parseCron(text: string): Cron | undefined {
  if (parsed.has(text)) return parsed.get(text);
  if (parsed.size >= MOST_PARSED) parsed.clear();
  const cron = readCron(text);
  parsed.set(text, cron);
  return cron;
}

function readCron(text: string): Cron | undefined {
  try {
    return new Cron(text, { timezone: "UTC", mode: "5-part" });
  } catch {
    return undefined;
  }
}

export function isCron(text: string): boolean {
  // Beside expressions the parser takes moments and words such as @daily.
  return /^\S+( +\S+){4}$/.test(text) && parseCron(text) !== undefined;
}

/** Its wall times after one and up to another, and then `more` later ones. */
export function cronWalls(text: string, after: number, to: number, more = 0): readonly number[] {
  const walls: number[] = [];
  let left = more;
  for (let next = nextWall(text, after); next !== undefined; next = nextWall(text, next)) {
    if (next > to && --left < 0) break;
    walls.push(next);
  }
  return walls;
}

function nextWall(text: string, after: number): number | undefined {
  return parseCron(text)?.nextRun(new Date(after))?.getTime();
}

/** Any moment: what a year has of an expression does not hang on it. */
const SOME_YEAR = Date.UTC(2024, 0, 1);
const MOST_LOOKED_AT = 500;

/** The shortest time between two of its wall times, in ms; undefined: it never comes. Infinity: once in years. */
export function shortestGap(text: string): number | undefined {
  const first = nextWall(text, SOME_YEAR);
  if (first === undefined) return undefined;
  const walls = cronWalls(text, first, first, MOST_LOOKED_AT).filter((wall) => wall < first + 800 * DAY_MS);
  return [first, ...walls].reduce(
    (least, wall, index, all) => Math.min(least, wall - (all[index - 1] ?? Number.NEGATIVE_INFINITY)),
    Number.POSITIVE_INFINITY,
  );
}
