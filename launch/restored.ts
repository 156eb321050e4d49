import { elapsed } from "../ledger/instant.ts";
import type { AccountRow } from "../ledger/rows.ts";
import type { Context } from "./context.ts";

/*
 * A ledger file that was restored from a backup may not know the newest machines (rule 10 of docs/protocol.md). A list shows
 * them, and they are matched; but a single list may lack one. So two full lists, as far apart as those that show a machine to be
 * gone, are taken before anything is launched.
 */

/** Why a restored ledger launches nothing yet; undefined: it was not restored, or was looked at for long enough. */
export function whyRestored(account: AccountRow, context: Context): string | undefined {
  if (!account.restored) return undefined;
  const apart = Math.round(context.settings.gone / 1000);
  return (
    "the ledger file was written by something else since fleetkeeper wrote it last, as when it is restored from a backup, and may " +
    `not know the newest machines: two full lists, ${apart} s apart, are taken before anything is launched`
  );
}

/** Milliseconds until a list may be the second one; 0 where nothing is waited for. */
export function untilRestoredLook({ restored }: AccountRow, { now, settings }: Context): number {
  if (!restored) return 0;
  return restored.first ? Math.max(0, settings.gone - elapsed(restored.first, now)) : settings.gone;
}

/** The account with one more full list, which was asked for at this moment. */
export function lookedAfterRestore(account: AccountRow, context: Context): AccountRow {
  const { restored, ...rest } = account;
  if (!restored || !account.list) return account;
  if (!restored.first) return { ...rest, restored: { first: account.list } };
  return elapsed(restored.first, account.list) < context.settings.gone ? account : rest;
}
