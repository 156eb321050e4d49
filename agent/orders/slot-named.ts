import { isId } from "../../account/open-ledger.ts";
import type { Context } from "../../launch/facts/context.ts";
import { enterSlot } from "../../launch/people/slot.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { SlotRow } from "../../ledger/rows.ts";
import { refusal } from "./refusal.ts";

const SLOT = "slot:";

/** The slot's id, if `text` names a slot by `slot:`. */
export function slotIn(text: string): string | undefined {
  return text.startsWith(SLOT) ? text.slice(SLOT.length) : undefined;
}

/**
 * The slot with this id or name. Stacks may share a name, and a slot that is being deleted keeps its name. An
 * id that only a stack's state knows is entered: its ledger is lost, and the adopted machine is all that is
 * known. Throws CONFIG unless exactly one fits.
 */
export function slotFor(draft: Draft, asked: string, context: Context): SlotRow {
  const all = [...draft.slots.values()];
  const id = slotIn(asked) ?? asked;
  const exact = draft.slots.get(id);
  if (exact) return exact;
  const open = all.filter(({ closing }) => !closing);
  const [slot, ...others] = open.filter(({ name }) => name === asked);
  if (slot && others.length === 0) return slot;
  if (slot) {
    const ids = [slot, ...others].map((each) => each.id).join(", ");
    throw refusal(
      `--deployment ${asked}: ${others.length + 1} Deployments here have this name, as in several stacks. Say the id of ` +
        `the one instead, as pulumi stack --show-ids has it: ${ids}.`,
    );
  }
  if (isId(id) || (slotIn(asked) ?? "") !== "") return enterSlot(draft, id, id, context);
  const names = [...new Set(open.map(({ name }) => name))].join(", ") || "none";
  const wasThere = all.some(({ name }) => name === asked);
  throw refusal(
    wasThere
      ? `--deployment ${asked}: it is being deleted, and stops what it has; others here: ${names}.`
      : `--deployment ${asked}: no such Deployment here; there are: ${names}. Of one whose ledger is lost, say the id of its slot, ` +
          "as pulumi stack --show-ids has it.",
  );
}
