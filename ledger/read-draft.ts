import { Draft } from "./draft.ts";
import type { Ledger } from "./ledger.ts";
import { copyOf, type Tables, tablesOf } from "./tables.ts";
import { Snapshot } from "./view.ts";

interface Readable {
  readonly ledger: Pick<Ledger, "read">;
  readonly account: string;
}

/** The rows of an account now, for reading only: a put throws INTERNAL. */
export async function readDraft(from: Readable): Promise<Draft> {
  return new Draft(await tablesNow(from), { isReadOnly: true });
}

/**
 * The rows of an account, to try on what changes nothing but its own row and events: they are stored nowhere. Any other put
 * throws INTERNAL. Nothing is copied.
 */
export async function accountDraft(from: Readable): Promise<Draft> {
  return new Draft(await tablesNow(from), { isReadOnly: true, isForAccount: true });
}

/** The rows of an account, to try anything on, in a copy of all tables: what is put into this draft is stored nowhere. */
export async function scratchDraft(from: Readable): Promise<Draft> {
  return new Draft(copyOf(await tablesNow(from)));
}

async function tablesNow({ ledger, account }: Readable): Promise<Tables> {
  const rows = await ledger.read(account);
  return rows instanceof Snapshot ? rows.tables : tablesOf(rows);
}
