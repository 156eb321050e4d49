import type { Run } from "../../agent/whatif/play.ts";
import { costOf, gpuHours } from "../../agent/whatif/runs.ts";
import type { Tape } from "../../agent/whatif/tape.ts";
import { DAY_MS } from "../../ledger/instant.ts";

/** What a restart loses of the work of a GPU, in hours. */
export const RESTART_HOURS = 0.25;

export interface Score {
  /** USD for each GPU-hour that was of use: a restart loses some. */
  readonly usd: number;
  /** GPU-hours had, of those that were wanted. */
  readonly hours: number;
  readonly restarts: number;
}

/** What it cost to hold these machines, and what was had of the GPUs that were wanted. */
export function scoreOf(tape: Tape, runs: readonly Run[], wanted: number): Score {
  const end = tape.days * DAY_MS;
  const { asked, had } = gpuHours(runs, [{ at: 0, gpus: wanted }], end);
  // What runs in the place of what ran before begins anew.
  const begun = runs.filter(({ from }) => from < end).reduce((sum, { gpus }) => sum + gpus, 0);
  const restarts = Math.max(0, begun - wanted);
  return {
    usd: costOf(tape, runs) / (had - restarts * RESTART_HOURS),
    hours: had / asked,
    restarts,
  };
}
