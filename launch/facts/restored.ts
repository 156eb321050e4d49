import { elapsed } from "../../ledger/instant.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import type { Context } from "./context.ts";
import { type Hold, hold } from "./hold.ts";

/*
 * A ledger file from a backup may not know the newest machines (rule 10 of docs/how/protocol.md). A list shows
 * them, and they are matched. But one list may lack one, so two full lists come before any launch, as far
 * apart as for a machine that is gone.
 */

/** Why a restored ledger launches nothing yet. */
export function whyRestored(account: AccountRow, context: Context): Hold | undefined {
  if (!account.restored) return undefined;
  const until = context.now.wall + untilRestoredList(account, context);
  return hold("restored", { apart: Math.round(context.settings.gone / 1000) }, until);
}

/** Milliseconds until a list may be the second one; 0 if nothing is waited for. */
export function untilRestoredList({ restored }: AccountRow, { now, settings }: Context): number {
  if (!restored) return 0;
  return restored.first ? Math.max(0, settings.gone - elapsed(restored.first, now)) : settings.gone;
}

/** The account after one more full list, asked for at `account.list`. */
export function listedAfterRestore(account: AccountRow, context: Context): AccountRow {
  const { restored, ...rest } = account;
  if (!restored || !account.list) return account;
  if (!restored.first) return { ...rest, restored: { first: account.list } };
  return elapsed(restored.first, account.list) < context.settings.gone ? account : rest;
}
