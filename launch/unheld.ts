import type { Draft } from "../ledger/draft.ts";
import { slotOwner } from "../ledger/owner.ts";
import type { DeploymentRow, IntentRow, SlotRow } from "../ledger/rows.ts";
import { isUnresolved } from "./occupancy.ts";
import { slotMachine } from "./slot.ts";

/*
 * A slot may be in no stack's state any more, as after `pulumi state delete` or with a lost state. What is in it runs on, and
 * Pulumi makes another slot of the same resource, whose machine would be paid for beside the first one.
 */

/** A slot that has something. */
export interface Holding {
  readonly slot: SlotRow;
  /** What fills it, and was not asked to stop. */
  readonly machine: DeploymentRow | undefined;
  /** A launch into it whose outcome is not known. */
  readonly launch: IntentRow | undefined;
}

/** The slot that is about to be filled, and its resource. */
export interface NewSlot {
  /** Undefined where it is not made yet, as in a preview. */
  readonly id: string | undefined;
  readonly name: string;
  readonly urn: string | undefined;
}

/** The other slots of the same resource that still have something. Whether a state holds one of them, only its engine can say. */
export function leftBehind(draft: Draft, to: NewSlot): readonly Holding[] {
  return [...draft.slots.values()].flatMap((slot) => {
    if (slot.id === to.id || slot.closing || !isSameResource(slot, to)) return [];
    const machine = slotMachine(draft, slot.id);
    const launch = [...draft.intents.values()].find(
      (intent) => intent.owner === slotOwner(slot.id) && isUnresolved(draft, intent),
    );
    return machine || launch ? [{ slot, machine, launch }] : [];
  });
}

/** Two resources of one name may stand below parents of different types: Pulumi's own name tells them apart. */
function isSameResource({ name, urn }: SlotRow, other: NewSlot): boolean {
  return urn === undefined || other.urn === undefined ? name === other.name : urn === other.urn;
}

/** Remembered, so that people are told until they have decided: it is in no run of Pulumi any more that could tell them. */
export function markUnheld(draft: Draft, id: string): void {
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

/** What an unheld slot has goes to the one that takes its place, by a person's word; it wants nothing any more. */
export function handOver(draft: Draft, { slot, machine }: Holding, to: string): void {
  if (machine) draft.moveDeployment("passOn", { ...machine, owner: slotOwner(to) });
  draft.putSlot({ ...slot, closing: true });
}
