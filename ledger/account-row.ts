import { FleetkeeperError } from "../service/contract/errors.ts";
import { USD } from "../service/contract/money.ts";
import type { OpenAccount } from "./ledger.ts";
import type { AccountRow } from "./rows.ts";

/**
 * The account's row from now on. A later configuration does not overwrite the stored tenure, which decides
 * what may be stopped. Throws CONFIG if the two contradict each other, or the currency of what is stored.
 */
export function accountRow(
  key: string,
  stored: AccountRow | undefined,
  request: OpenAccount,
  location: string,
): AccountRow {
  if (stored?.currency !== request.currency && stored && stored.sequence > 0)
    throw new FleetkeeperError(
      "CONFIG",
      `currency: the profile says ${request.currency ?? USD}, and the ledger ${location} counts ${stored.currency ?? USD} for ` +
        `${stored.email} at ${stored.baseUrl}. Its prices, budgets and sums would be read as another money, so nothing was done: ` +
        "correct the profile, or use a ledger of its own (--ledger).",
    );
  const { currency: before, billing: _before, ...row } = tenured(key, stored, request, location);
  const { currency, billing } = request;
  return {
    ...row,
    ...(before === currency ? {} : { balance: null }),
    ...(currency === undefined ? {} : { currency }),
    ...(billing && { billing }),
  };
}

function tenured(
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
