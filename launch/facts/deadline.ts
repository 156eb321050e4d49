import type { SlotRow } from "../../ledger/rows.ts";
import type { Context } from "./context.ts";

/** True if the slot is to be empty by now. */
export function isPastDeadline({ until }: SlotRow, { now }: Pick<Context, "now">): boolean {
  return until != null && now.wall >= until;
}
