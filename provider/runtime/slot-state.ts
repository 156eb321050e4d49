import type { Context, Keeper } from "../../launch/index.ts";
import { contextOf, slotMachine } from "../../launch/index.ts";
import type { DeploymentRow, Draft, SlotRow } from "../../ledger/index.ts";
import { readDraft, slotOwner } from "../../ledger/index.ts";
import type { Holdings } from "./holdings.ts";
import { holdingsOf } from "./holdings.ts";

export interface SlotState extends Holdings {
  readonly slot: SlotRow | undefined;
  /** The claim that fills it and is alive. */
  readonly machine: DeploymentRow | undefined;
  readonly draft: Draft;
  readonly context: Context;
}

export async function readSlot(keeper: Keeper, id: string): Promise<SlotState> {
  const draft = await readDraft(keeper);
  const context = contextOf(keeper);
  return {
    slot: draft.slots.get(id),
    machine: slotMachine(draft, id),
    ...holdingsOf(draft, slotOwner(id), context),
    draft,
    context,
  };
}
