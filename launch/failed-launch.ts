import type { DeploymentRow } from "../ledger/rows.ts";

/**
 * The service ended the machine of a launch as failed, and not because we stopped it: a service may call a launch that is
 * stopped before it runs a failed one, and that says nothing of its combination. A stop that was only asked for ended nothing.
 */
export function isFailedLaunch({ end, stop }: DeploymentRow): boolean {
  return end === "failed" && !(stop !== null && (stop.accepted || stop.attempts > 0));
}
