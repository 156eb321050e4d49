import type { Instant } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";

/*
 * A person holds a machine for a time, because something on it must not be lost now. No stop that we choose takes it
 * before: a lower count, a drain, triggers, a check, what is given back, a state in which it bills and does not serve.
 * A deadline and a spent total end it all the same, as does `stop --all`: a forgotten machine is what people fear
 * most. A second machine of a Deployment is stopped, too: the surplus of a launch that was doubled was never wanted.
 */

/** Whether somebody holds it, in words; undefined: nobody does now. */
export function machineHoldText(
  { hold }: { readonly hold?: { readonly until: number; readonly why?: string | null } | null },
  { wall }: Pick<Instant, "wall">,
): string | undefined {
  if (!hold || hold.until <= wall) return undefined;
  const until = new Date(hold.until).toISOString().replace(/\.\d+Z$/, "Z");
  return `held until ${until}${hold.why ? ` (${hold.why})` : ""}`;
}

export function isHeld(row: DeploymentRow, now: Instant): boolean {
  return machineHoldText(row, now) !== undefined;
}
