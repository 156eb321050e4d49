import { createHash } from "node:crypto";
import type { DeploymentRow } from "../../ledger/rows.ts";

/**
 * Which machine somebody has seen under an id, and whose: another one follows when its owner changes, or how surely it is ours, or
 * when the service gives the id anew. None from its states, its end, a hold or a stop: an order says itself what of these matters.
 */
export function machineVersion({ sequence, owner, claim, offer, provider, location }: DeploymentRow): string {
  const said = [sequence, owner, claim, offer, provider, location];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 16);
}
