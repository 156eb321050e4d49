import { adopterFlag, nameOf, whoOwns } from "../../agent/status/owner-names.ts";
import { isReused } from "../../launch/reused.ts";
import type { DeploymentRow, Owner } from "../../ledger/index.ts";
import { readDraft, slotOwner } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import type { Session } from "./environment.ts";

/**
 * The error for machines of this owner that may be somebody else's. It names the two commands by which a
 * person decides. Nothing is guessed, and none of them is stopped.
 */
export function undecided(owner: Owner, rows: readonly DeploymentRow[]): FleetkeeperError {
  const disputed = rows.filter(({ claim }) => claim === "disputed");
  const reused = rows.filter(isReused);
  const [first] = [...disputed, ...rows];
  const what =
    disputed.length > 0
      ? `one of ${ids(disputed)} was launched here, and nobody can tell which: this account is shared`
      : reused.length > 0
        ? `${ids(reused)} shows another offer and size than what was launched here, and this account is shared`
        : `${ids(rows)} seems to have been launched here (its launch was not answered), and this account is shared`;
  return new FleetkeeperError(
    "REFUSED",
    `${what}. It was not stopped, and may cost money every hour. Look in the service's dashboard, then say ` +
      `fleetkeeper adopt ${first?.id} ${adopterFlag(owner)} if it is yours, fleetkeeper disown ${first?.id} if it is not, and run this again.`,
  );
}

function ids(rows: readonly DeploymentRow[]): string {
  return rows.map((row) => row.id).join(", ");
}

/** No wait helps here: a person has to stop the machine, or add the stop part to the profile. */
export function cannotStop(...ids: readonly string[]): FleetkeeperError {
  const [have, them] = ids.length > 1 ? ["have", "them"] : ["has", "it"];
  return new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `${ids.join(", ")} ${have} to be stopped, and the profile has no part "stop": stop ${them} in the service's dashboard and run ` +
      "this again, or add the part.",
  );
}

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
