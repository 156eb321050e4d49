import type { Context } from "../../launch/facts/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { billingText } from "../../service/contract/billing.ts";
import { USD } from "../../service/contract/money.ts";
import { budgetFacts } from "../fleet/money/budget-facts.ts";
import { type Days, spending, wholeSpending } from "../fleet/money/spend.ts";
import { spendBy } from "../fleet/money/spend-by.ts";
import type { AccountSpending, LedgerSpending } from "../json/spend.ts";
import { readAll } from "./account-status.ts";

/** What one account has cost on these days. `by`: a label that it is summed up by, too. */
export function accountSpending(
  draft: Draft,
  days: Days,
  by: string | undefined,
  context: Context,
): AccountSpending {
  const { email, baseUrl, currency = USD, billing } = draft.account;
  return {
    account: email,
    baseUrl,
    currency,
    billing: billing ? billingText(billing) : null,
    budgets: budgetFacts(draft, context),
    by: by === undefined ? null : spendBy(draft, by, days, context),
    ...spending(draft, days, context),
  };
}

/** What all accounts of a ledger have cost on these days: `spend --json`. */
export async function ledgerSpending(
  ledger: Ledger,
  days: Days,
  by: string | undefined,
  context: Context,
): Promise<LedgerSpending> {
  const { drafts } = await readAll(ledger);
  const accounts = [...drafts.values()].map((draft) => accountSpending(draft, days, by, context));
  const [currency = USD, ...others] = new Set(accounts.map((account) => account.currency));
  return {
    ledger: ledger.location,
    estimate: true,
    currency: others.length > 0 ? null : currency,
    wholes: wholeSpending(drafts, days, context),
    accounts,
  };
}
