import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";

/**
 * Puts failures away that a person has seen: they need nobody any more, and stay in the history. `id`
 * undefined: all of them. Returns the ids that this call put away. Throws CONFIG if no failure has the id.
 */
export function putAway(draft: Draft, id: string | undefined, context: Context): readonly string[] {
  const failed = [...draft.deployments.values()].filter(isFailure);
  const named = id === undefined ? undefined : draft.deployments.ever(id);
  if (id !== undefined && !(named && isFailure(named))) throw noSuch(id, failed);
  const fresh = (named ? [named] : failed).filter((row) => row.seen !== true);
  for (const row of fresh) {
    draft.putDeployment({ ...row, seen: true });
    note(draft, context, "seen", `the failure of ${row.id} was put away by an operator`, {
      owner: row.owner,
      deployment: row.id,
    });
  }
  return fresh.map((row) => row.id);
}

function isFailure({ end, owner }: DeploymentRow): boolean {
  return end === "failed" && owner !== null;
}

function noSuch(id: string, failed: readonly DeploymentRow[]): FleetkeeperError {
  const open = failed.filter(({ seen }) => seen !== true).map((row) => row.id);
  const there = open.length > 0 ? `not put away yet: ${open.slice(-10).join(", ")}` : "none is left";
  return new FleetkeeperError("CONFIG", `${id}: no failed launch of ours has this id (${there}).`);
}
