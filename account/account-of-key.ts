import { launchOf } from "../launch/claim/candidates.ts";
import { Draft } from "../ledger/draft.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { AccountRow } from "../ledger/rows.ts";
import { tablesOf } from "../ledger/tables.ts";
import type { Account } from "../service/contract/contract.ts";
import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Deployment, Service } from "../service/contract/service.ts";
import { readable } from "../service/contract/unread.ts";
import { OF_A_KEY } from "../service/record/account-reader.ts";

/*
 * An account that no call shows is told apart by its credential alone (`account: { none: true }`), and one of which settings
 * choose a part, such as a project, by these. Another credential, or another setting, may show the same machines or other
 * ones. With other ones all would seem gone, and be rented again beside those that run. So it opens what the ledger
 * knows only if its list shows a machine of ours, or if a person says so. Else nothing is done.
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
  const here = (await ledger.accounts()).filter(({ baseUrl }) => baseUrl === service.baseUrl);
  const known = here.find((each) => opens(each, shown.id));
  if (known) return { ...shown, id: known.accountId };
  const isOfKey = (id: string): boolean => id.startsWith(OF_A_KEY);
  // Two ids that the service itself shows are two accounts.
  const doubtful = isOfKey(shown.id) ? here : here.filter(({ accountId }) => isOfKey(accountId));
  if (doubtful.length === 0) return shown;
  const [only, ...others] = doubtful;
  const said = isSame && others.length === 0 ? only : undefined;
  const row = said ?? (await theOneShown(service, ledger, doubtful, signal));
  if (!row)
    throw new FleetkeeperError(
      "WRONG_ACCOUNT",
      `The credential, or a setting that chooses what it reaches, is another one than the ledger knows at ${service.baseUrl}, where ` +
        "no call shows whose it is, and its list shows none of the ledger's machines: nothing was done. If it opens the same " +
        "account, and the same part of it: fleetkeeper account --same. If it opens another one: a ledger of its own (--ledger).",
    );
  await ledger.decide(row.key, (draft) =>
    draft.putAccount({ ...draft.account, keys: [...(draft.account.keys ?? []), shown.id] }),
  );
  return { ...shown, id: row.accountId };
}

/** The account of the ledger of which the service's list shows a machine of ours. */
async function theOneShown(
  service: Service,
  ledger: Ledger,
  rows: readonly AccountRow[],
  signal: AbortSignal,
): Promise<AccountRow | undefined> {
  const listed = readable((await service.deployments(signal)) ?? []);
  for (const row of rows) {
    const draft = new Draft(tablesOf(await ledger.read(row.key)));
    const isOurs = ({ id, marker }: Deployment): boolean =>
      draft.deployments.get(id)?.claim === "certain" || launchOf(draft, marker ?? null) !== undefined;
    if (listed.some(isOurs)) return row;
  }
  return undefined;
}
