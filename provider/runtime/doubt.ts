import type { DeploymentRow } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/errors.ts";

/** Machines that may be somebody else's, and the two commands by which a person decides. Nothing is guessed, nothing stopped. */
export function undecided(
  slot: string,
  {
    disputed,
    inferred,
  }: { readonly disputed: readonly DeploymentRow[]; readonly inferred: readonly DeploymentRow[] },
): FleetkeeperError {
  const rows = [...disputed, ...inferred];
  const [first] = rows;
  const what =
    disputed.length > 0
      ? `one of ${ids(disputed)} was launched here, and nobody can tell which: this account is shared`
      : `${ids(inferred)} seems to have been launched here (its launch was not answered), and this account is shared`;
  return new FleetkeeperError(
    "REFUSED",
    `${what}. Nothing was stopped, and it may cost money every hour. Look in the service's dashboard, then say ` +
      `fleetkeeper adopt ${first?.id} --deployment ${slot} if it is yours, fleetkeeper disown ${first?.id} if it is not, and run this again.`,
  );
}

function ids(rows: readonly DeploymentRow[]): string {
  return rows.map((row) => row.id).join(", ");
}
