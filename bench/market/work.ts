import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import type { Run } from "../../agent/whatif/play.ts";
import { costOf, within } from "../../agent/whatif/runs.ts";
import type { Tape } from "../../agent/whatif/tape.ts";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";
import { RESTART_HOURS } from "./score.ts";

/* Work by the end of a tape: so many GPU-hours, whenever they are had. */

/** Where the clock of a stage begins. */
const BEGUN = Date.parse("2030-01-01T00:00:00Z");

/** The share of what all GPUs would make in the time of the tape. */
export const WORK_SHARES = [0.25, 0.5];

export function workOf({ days }: Tape, gpus: number, share: number): NonNullable<WishInput["work"]> {
  const by = new Date(BEGUN + days * DAY_MS).toISOString();
  return { gpuHours: Math.round(gpus * days * 24 * share), by };
}

interface Done {
  /** USD for each GPU-hour of the work. */
  readonly usd: number;
  /** GPU-hours done, of the work. */
  readonly done: number;
}

/** What the work cost. A restart loses some of it. */
export function doneBy(tape: Tape, all: readonly Run[], gpuHours: number, gpus: number): Done {
  const runs = within(all, tape.days * DAY_MS);
  const begun = runs.reduce((sum, run) => sum + run.gpus, 0);
  const lost = Math.max(0, begun - gpus) * RESTART_HOURS;
  const had = hoursUntil(runs, tape.days * DAY_MS) - lost;
  return { usd: costOf(tape, runs) / Math.min(had, gpuHours), done: Math.min(1, had / gpuHours) };
}

/** The machines of somebody who stops all of them once the work is done. */
export function untilDone(tape: Tape, all: readonly Run[], gpuHours: number): readonly Run[] {
  const runs = within(all, tape.days * DAY_MS);
  const end = momentOf(runs, gpuHours, tape.days * DAY_MS);
  return Number.isNaN(end)
    ? runs
    : runs
        .filter(({ from }) => from < end)
        .map((run) => (run.to > end ? { ...run, to: end, lost: false } : run));
}

function hoursUntil(runs: readonly Run[], at: number): number {
  return runs.reduce(
    (sum, { from, to, gpus }) => sum + (gpus * Math.max(0, Math.min(to, at) - from)) / HOUR_MS,
    0,
  );
}

function momentOf(runs: readonly Run[], gpuHours: number, end: number): number {
  if (hoursUntil(runs, end) < gpuHours) return Number.NaN;
  let [low, high] = [0, end];
  while (high - low > 1000) {
    const middle = (low + high) / 2;
    if (hoursUntil(runs, middle) < gpuHours) low = middle;
    else high = middle;
  }
  return high;
}
