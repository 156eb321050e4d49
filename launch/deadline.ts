import type { SlotRow } from "../ledger/rows.ts";
import type { Context } from "./context.ts";

/** From its deadline on a slot is to be empty. */
export function isPastDeadline({ until }: SlotRow, { now }: Pick<Context, "now">): boolean {
  return until != null && now.wall >= until;
}
