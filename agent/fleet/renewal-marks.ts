import type { Context } from "../../launch/context.ts";
import { claimedBy, occupancy } from "../../launch/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";

/** Marks all that the fleet has with its name: what is given to another fleet is not replaced there. */
export function renewAll(draft: Draft, name: string, context: Context): void {
  const owner = fleetOwner(name);
  for (const row of claimedBy(draft, owner))
    if (row.end === null) draft.putDeployment({ ...row, renew: owner });
  for (const intent of occupancy(draft, owner, context).intents) draft.putIntent({ ...intent, renew: true });
}

/** Its machines that are still to be replaced. */
export function toRenew(draft: Draft, name: string): readonly DeploymentRow[] {
  const owner = fleetOwner(name);
  return claimedBy(draft, owner).filter((row) => {
    const intent = draft.intents.get(row.intent ?? "");
    return row.end === null && (row.renew === owner || (intent?.renew === true && intent.owner === owner));
  });
}
