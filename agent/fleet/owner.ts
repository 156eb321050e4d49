import type { Owner } from "../../ledger/rows.ts";

/** How the ledger names a fleet as the owner of machines. */
export function fleetOwner(name: string): Owner {
  return `fleet:${name}`;
}
