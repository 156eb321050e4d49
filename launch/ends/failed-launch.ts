import type { DeploymentRow } from "../../ledger/rows.ts";

/**
 * True if the service ended a launch's machine as failed, and not after a stop call. A service may call a
 * launch that is stopped before it runs failed, which says nothing of its combination.
 */
export function isFailedLaunch({ end, stop }: DeploymentRow): boolean {
  return end === "failed" && !(stop !== null && (stop.accepted || stop.attempts > 0));
}
