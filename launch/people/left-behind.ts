import type { Draft } from "../../ledger/draft.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { DeploymentRow, IntentRow, SlotRow } from "../../ledger/rows.ts";
import { unresolvedOf } from "../facts/occupancy.ts";
import { slotMachine } from "./slot.ts";

/*
 * A slot may be in no stack's state any more, as after `pulumi state delete` or with a lost state. Its
 * machine runs on. Pulumi makes another slot of the same resource, and both machines would be paid for.
 */

/** A slot that has something. */
export interface LeftBehind {
  readonly slot: SlotRow;
  /** The machine that fills it and is not to be stopped. */
  readonly machine: DeploymentRow | undefined;
  /** A launch into it whose outcome is not known. */
  readonly launch: IntentRow | undefined;
}

/** The slot that is about to be filled, and its resource. */
export interface NewSlot {
  /** Undefined if it is not made yet, as in a preview. */
  readonly id: string | undefined;
  readonly name: string;
  readonly resource: string | undefined;
}

/** Other slots of this resource that have something. Only the engine knows if a state holds one. */
export function leftBehind(draft: Draft, to: NewSlot): readonly LeftBehind[] {
  return [...draft.slots.values()].flatMap((slot) => {
    if (slot.id === to.id || slot.closing || !isSameResource(slot, to)) return [];
    const machine = slotMachine(draft, slot.id);
    const [launch] = unresolvedOf(draft, slotOwner(slot.id));
    return machine || launch ? [{ slot, machine, launch }] : [];
  });
}

/** Resources of one name may stand below parents of different types: the URN tells them apart. */
function isSameResource({ name, resource }: SlotRow, other: NewSlot): boolean {
  return resource === undefined || other.resource === undefined
    ? name === other.name
    : resource === other.resource;
}

/** Remembered until people have decided: no run of Pulumi has the slot any more, and could tell them. */
export function markLeftBehind(draft: Draft, id: string): void {
  const slot = draft.slots.get(id);
  if (slot && !slot.unheld) draft.putSlot({ ...slot, unheld: true });
}

/** A state holds it after all. */
export function markHeld(draft: Draft, id: string): void {
  const slot = draft.slots.get(id);
  if (!slot?.unheld) return;
  const { unheld: _unheld, ...held } = slot;
  draft.putSlot(held);
}

/** By a person's word the slot that replaces it takes its machine. The old one wants nothing more. */
export function handOver(draft: Draft, { slot, machine }: LeftBehind, to: string): void {
  if (machine) draft.moveDeployment("passOn", { ...machine, owner: slotOwner(to) });
  draft.putSlot({ ...slot, closing: true });
}
