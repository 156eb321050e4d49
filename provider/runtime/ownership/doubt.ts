import { adopterFlag } from "../../../agent/status/owner-names.ts";
import { isReused } from "../../../launch/machine/reused.ts";
import type { DeploymentRow, Owner } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";

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
