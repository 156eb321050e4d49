import { FleetkeeperError } from "../service/contract/errors.ts";
import type { OpenAccount } from "./ledger.ts";
import type { AccountRow } from "./rows.ts";

/**
 * The account's row from now on. A later configuration does not overwrite the stored tenure, which decides
 * what may be stopped. Throws CONFIG if the two contradict each other.
 */
export function accountRow(
  key: string,
  stored: AccountRow | undefined,
  { baseUrl, account, tenure, tenureBy }: OpenAccount,
  location: string,
): AccountRow {
  const said = tenure === undefined ? {} : { tenure, ...(tenureBy === undefined ? {} : { tenureBy }) };
  if (!stored) {
    return {
      key,
      baseUrl,
      accountId: account.id,
      email: account.email,
      tenure: "unstated",
      ...said,
      sequence: 0,
      profiles: {},
      list: null,
      doubt: null,
      balance: null,
      agent: null,
    };
  }
  if (stored.tenure === "unstated") return { ...stored, email: account.email, ...said };
  if (tenure === undefined || tenure === stored.tenure) return { ...stored, email: account.email };
  throw new FleetkeeperError(
    "CONFIG",
    `account: ${tenureBy ?? "the configuration"} says ${tenure}, but the ledger ${location} has ${account.email} as ` +
      `${stored.tenure}${stored.tenureBy === undefined ? "" : ` (by ${stored.tenureBy})`}. It decides what may be stopped, so ` +
      `that it is not changed in passing: correct the one that is wrong, or fleetkeeper account --change-to ${tenure}.`,
  );
}
