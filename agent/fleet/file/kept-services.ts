import type { Ledger } from "../../../ledger/ledger.ts";
import type { AccountRow } from "../../../ledger/rows.ts";

/** An account that a fleet file with several services has a name for. */
export type KeptService = AccountRow & { readonly service: NonNullable<AccountRow["service"]> };

/** The services of the fleet file by which this account is kept. Empty: nobody has kept it by a file with several. */
export async function keptServices(
  ledger: Pick<Ledger, "accounts">,
  own: string,
): Promise<readonly KeptService[]> {
  const accounts = await ledger.accounts();
  const file = accounts.find(({ key }) => key === own)?.service?.file;
  const named = accounts.filter((each): each is KeptService => each.service !== undefined);
  return named
    .filter(({ service }) => service.file === file)
    .sort((one, other) => one.service.name.localeCompare(other.service.name));
}
