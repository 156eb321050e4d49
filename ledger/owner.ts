import type { Owner } from "./rows.ts";

/** How the ledger names a fleet as the owner of machines. */
export function fleetOwner(name: string): Owner {
  return `fleet:${name}`;
}

/** How the ledger names a slot as an owner. The Pulumi `Deployment` keeps the slot's id in its state. */
export function slotOwner(id: string): Owner {
  return `slot:${id}`;
}

/** The name of a fleet, or the id of a slot. */
export interface OwnerParts {
  readonly kind: "fleet" | "slot";
  readonly name: string;
}

export function ownerParts(owner: Owner): OwnerParts {
  const at = owner.indexOf(":");
  return { kind: owner.startsWith("fleet:") ? "fleet" : "slot", name: owner.slice(at + 1) };
}
