import { Draft } from "./draft.ts";
import type { Ledger } from "./ledger.ts";

/** The rows of an account as they are now, to read them: what is put into such a draft is stored nowhere. */
export async function readDraft({
  ledger,
  account,
}: {
  readonly ledger: Pick<Ledger, "read">;
  readonly account: string;
}): Promise<Draft> {
  return new Draft(await ledger.read(account));
}
