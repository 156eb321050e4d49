import { elapsed, type Instant } from "../../ledger/instant.ts";
import type { DeploymentRow, StopHookRow } from "../../ledger/rows.ts";

/** True if its stop call waits: a command of the user's is to run first, or runs, and its time is not up. */
export function isHooked({ stop }: Pick<DeploymentRow, "stop">, { now }: { readonly now: Instant }): boolean {
  return stop?.hook !== undefined && hookLeft(stop.hook, now) > 0;
}

/** Milliseconds for which the stop call may still wait for it; 0: it is over. */
export function hookLeft({ state, since, lasts }: StopHookRow, now: Instant): number {
  if (state === "done" || state === "failed") return 0;
  return Math.max(0, lasts - elapsed(since, now));
}

/** By when the machine is stopped, whatever the command does: wall time in ms. */
export function hookUntil({ since, lasts }: StopHookRow): number {
  return since.wall + lasts;
}
