import { nameOf, whoOwns } from "../../../agent/status/owner-names.ts";
import { type DeploymentRow, readDraft, slotOwner } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { Session } from "../session/environment.ts";

/**
 * Says who else owns this machine: it was adopted elsewhere after this slot inferred it, or by a fleet when
 * the ledger was lost. Two wishes must not share a machine: both would count it, and either may stop it.
 */
export async function otherOwner(
  { keeper }: Session,
  row: DeploymentRow | undefined,
  slot: string,
): Promise<string | undefined> {
  if (row === undefined || row.claim === null || row.owner === null || row.owner === slotOwner(slot))
    return undefined;
  return nameOf(whoOwns(await readDraft(keeper), row.owner));
}

export function notOurs(id: string, owner: string, slot: string): FleetkeeperError {
  return new FleetkeeperError(
    "REFUSED",
    `${id} belongs to ${owner} in this ledger, and a machine has one owner. The next pulumi up replaces it here: it leaves that ` +
      `one alone and launches another. If it is to be this deployment's: fleetkeeper disown ${id}, then ` +
      `fleetkeeper adopt ${id} --deployment ${slot}.`,
  );
}
