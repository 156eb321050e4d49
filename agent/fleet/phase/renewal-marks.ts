import { livingOf, unresolvedOf } from "../../../launch/facts/occupancy.ts";
import { onceForMachines } from "../../../launch/facts/once-for-machines.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";

/** Marks all that the fleet has with its name: what is given to another fleet is not replaced there. */
export function renewAll(draft: Draft, name: string): void {
  const owner = fleetOwner(name);
  for (const row of livingOf(draft, owner)) draft.putDeployment({ ...row, renew: owner });
  for (const intent of unresolvedOf(draft, owner)) draft.putIntent({ ...intent, renew: true });
}

/** Its machines that are still to be replaced. */
export function toRenew(draft: Draft, name: string): readonly DeploymentRow[] {
  return marked(draft, livingOf(draft, fleetOwner(name)));
}

const marked = onceForMachines(({ intents }, machines) =>
  machines.filter(({ intent, renew, owner }) => {
    const launch = intents.ever(intent ?? "");
    return renew === owner || (launch?.renew === true && launch.owner === owner);
  }),
);
