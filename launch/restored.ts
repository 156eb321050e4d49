import { elapsed } from "../ledger/instant.ts";
import type { AccountRow } from "../ledger/rows.ts";
import type { Context } from "./context.ts";

/*
 * A ledger file from a backup may not know the newest machines (rule 10 of docs/how/protocol.md). A list shows
 * them, and they are matched. But one list may lack one, so two full lists come before any launch, as far
 * apart as for a machine that is gone.
 */

/** Why a restored ledger launches nothing yet. Undefined: not restored, or its lists were read. */
export function whyRestored(account: AccountRow, context: Context): string | undefined {
  if (!account.restored) return undefined;
  const apart = Math.round(context.settings.gone / 1000);
  return (
    "the ledger file was written by something else since fleetkeeper wrote it last, as when it is restored from a backup, and may " +
    `not know the newest machines: two full lists, ${apart} s apart, are taken before anything is launched`
  );
}

/** Milliseconds until a list may be the second one; 0 if nothing is waited for. */
export function untilRestoredLook({ restored }: AccountRow, { now, settings }: Context): number {
  if (!restored) return 0;
  return restored.first ? Math.max(0, settings.gone - elapsed(restored.first, now)) : settings.gone;
}

/** The account after one more full list, asked for at `account.list`. */
export function lookedAfterRestore(account: AccountRow, context: Context): AccountRow {
  const { restored, ...rest } = account;
  if (!restored || !account.list) return account;
  if (!restored.first) return { ...rest, restored: { first: account.list } };
  return elapsed(restored.first, account.list) < context.settings.gone ? account : rest;
}
