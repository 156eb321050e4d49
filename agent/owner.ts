import type { Owner } from "../ledger/rows.ts";

/** How the ledger names a fleet as the owner of machines. */
export function fleetOwner(name: string): Owner {
  return `fleet:${name}`;
}

/** What stands before the kind of an event in lines for people: `training `, or nothing. */
export function ownerPrefix(owner: Owner | null | undefined): string {
  return owner ? `${owner.replace(/^(fleet|slot):/, "")} ` : "";
}
