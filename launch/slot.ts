import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow, Owner, SlotRow } from "../ledger/rows.ts";
import type { Context } from "./context.ts";
import { claimedBy, occupancy } from "./occupancy.ts";
import { askStop, mayStop } from "./stop.ts";

/** A slot is a wish for one machine: the Pulumi `Deployment` that it belongs to keeps its id in state. */
export function slotOwner(id: string): Owner {
  return `slot:${id}`;
}

/** Knows the slot from now on. Called before the first launch into it; the slot's own create touches no network. */
export function enterSlot(draft: Draft, id: string, name: string, context: Context): SlotRow {
  return draft.slots.get(id) ?? draft.putSlot({ id, name, created: context.now, closing: false });
}

/** Why nothing may be launched into this slot now, or undefined. */
export function slotFull(draft: Draft, id: string, context: Context): string | undefined {
  if (draft.slots.get(id)?.closing) return "this deployment is being deleted";
  const { machines, intents } = occupancy(draft, slotOwner(id), context);
  if (machines.length > 0) return `it has ${machines[0]?.id}`;
  if (intents.length > 0) return "a launch into it is not resolved yet";
  return undefined;
}

/** The machine that fills the slot: the oldest living claim. An ended one does not fill it. */
export function slotMachine(draft: Draft, id: string): DeploymentRow | undefined {
  return claimedBy(draft, slotOwner(id)).find((row) => row.end === null && row.stop === null);
}

/** Asks to stop what the slot has beyond its one machine, or all of it once it is closing. */
export function trimSlots(draft: Draft, context: Context): void {
  for (const slot of draft.slots.values()) {
    const keep = slot.closing ? undefined : slotMachine(draft, slot.id);
    for (const row of claimedBy(draft, slotOwner(slot.id))) {
      if (row.id === keep?.id || row.stop !== null || !mayStop(row)) continue;
      askStop(
        draft,
        row.id,
        slot.closing ? "its resource is deleted" : `one too many: ${keep?.id} fills its place`,
        context,
      );
    }
  }
}
