import { Draft } from "./draft.ts";
import type { Ledger } from "./ledger.ts";

/** The rows of an account now, for reading only: what is put into this draft is stored nowhere. */
export async function readDraft({
  ledger,
  account,
}: {
  readonly ledger: Pick<Ledger, "read">;
  readonly account: string;
}): Promise<Draft> {
  return new Draft(await ledger.read(account));
}
