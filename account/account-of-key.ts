import { launchOf } from "../launch/claim/candidates.ts";
import { Draft } from "../ledger/draft.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AccountRow } from "../ledger/rows.ts";
import { tablesOf } from "../ledger/tables.ts";
import type { Account } from "../service/contract/contract.ts";
import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Service } from "../service/contract/service.ts";
import { isUnread } from "../service/contract/unread.ts";
import { OF_A_KEY } from "../service/record/account-reader.ts";

/*
 * An account that no call shows is told apart by its credential alone (`account: { none: true }`). Another credential may
 * open the same account or another one. As another one, all of its machines would be rented again beside those that
 * run; as the same one, a stranger's list would show all of ours as gone. So it opens the one that the ledger knows
 * only if its list shows a machine of ours, or if a person says so. Else nothing is done.
 */

/** True if the ledger knows this credential as one of the account's. */
export function opens(row: Pick<AccountRow, "accountId" | "keys">, id: string): boolean {
  return row.accountId === id || row.keys?.includes(id) === true;
}

/**
 * The account by the id that the ledger has for it. `isSame`: a person says that the credential opens it.
 *
 * @throws FleetkeeperError WRONG_ACCOUNT where nothing tells; what a list throws.
 */
export async function accountInLedger(
  service: Service,
  ledger: Ledger,
  shown: Account,
  signal: AbortSignal,
  isSame = false,
): Promise<Account> {
  if (!shown.id.startsWith(OF_A_KEY)) return shown;
  const rows = await ledger.accounts();
  const here = rows.filter(
    ({ baseUrl, accountId }) => baseUrl === service.baseUrl && accountId.startsWith(OF_A_KEY),
  );
  const row = here.find((each) => opens(each, shown.id)) ?? here[0];
  if (!row) return shown;
  const account = { ...shown, id: row.accountId };
  if (opens(row, shown.id)) return account;
  if (!isSame && !(await showsOurs(service, ledger, row, signal)))
    throw new FleetkeeperError(
      "WRONG_ACCOUNT",
      `The credential is another one than the ledger knows at ${service.baseUrl}, where no call shows whose it is, and its list shows ` +
        "none of the ledger's machines: nothing was done. If it opens the same account: fleetkeeper account --same. If it opens " +
        "another one: a ledger of its own (--ledger).",
    );
  await ledger.decide(row.key, (draft) =>
    draft.putAccount({ ...draft.account, keys: [...(draft.account.keys ?? []), shown.id] }),
  );
  return account;
}

async function showsOurs(
  service: Service,
  ledger: Ledger,
  { key }: AccountRow,
  signal: AbortSignal,
): Promise<boolean> {
  const listed = await service.deployments(signal);
  const draft = new Draft(tablesOf(await ledger.read(key)));
  return (listed ?? []).some((each) => {
    if (isUnread(each)) return false;
    const claim = draft.deployments.get(each.id)?.claim;
    return claim === "certain" || launchOf(draft, each.marker ?? null) !== undefined;
  });
}
