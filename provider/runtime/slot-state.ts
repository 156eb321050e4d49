import type { Context, Keeper } from "../../launch/index.ts";
import { claimedBy, contextOf, occupancy, slotMachine, slotOwner } from "../../launch/index.ts";
import type { DeploymentRow, IntentRow, SlotRow } from "../../ledger/index.ts";
import { Draft } from "../../ledger/index.ts";

/** What the ledger knows of one slot at this moment. */
export interface SlotState {
  readonly slot: SlotRow | undefined;
  /** The living claim that fills it. */
  readonly machine: DeploymentRow | undefined;
  /** Every claim that has not ended, those that are being stopped included. */
  readonly alive: readonly DeploymentRow[];
  /** Launches whose outcome is not known. */
  readonly open: readonly IntentRow[];
  /** Machines of which one is ours, and only a person can say which. */
  readonly disputed: readonly DeploymentRow[];
  readonly draft: Draft;
  readonly context: Context;
}

export async function readSlot(keeper: Keeper, id: string): Promise<SlotState> {
  const draft = new Draft(await keeper.ledger.read(keeper.account));
  const context = contextOf(keeper);
  const owner = slotOwner(id);
  const { intents } = occupancy(draft, owner, context);
  const inDispute = new Set(intents.filter(({ state }) => state === "disputed").map((intent) => intent.id));
  return {
    slot: draft.slots.get(id),
    machine: slotMachine(draft, id),
    alive: claimedBy(draft, owner).filter((row) => row.end === null),
    open: intents.filter(({ state }) => state === "open"),
    disputed: [...draft.deployments.values()].filter(
      (row) => row.claim === "disputed" && row.end === null && inDispute.has(row.intent ?? ""),
    ),
    draft,
    context,
  };
}
