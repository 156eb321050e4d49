import type { Context } from "../../launch/facts/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import { billingText } from "../../service/contract/billing.ts";
import { USD } from "../../service/contract/money.ts";
import { budgetFacts } from "../fleet/budget-facts.ts";
import { type Days, spending } from "../fleet/spend.ts";
import { spendBy } from "../fleet/spend-by.ts";
import type { AccountSpending } from "../json/spend.ts";

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
