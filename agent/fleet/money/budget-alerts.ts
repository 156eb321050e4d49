import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { midnight } from "../../../launch/money/budget.ts";
import { spentUnder, whoseBudget } from "../../../launch/money/shared-budget.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { DAY_MS } from "../../../ledger/instant.ts";
import type { BudgetTold } from "../../../ledger/rows.ts";
import { amountText, parseUsd, type Usd, usdText } from "../../../service/contract/money.ts";

/** Percent of a limit at which people are told. */
const SHARES = [100, 80, 50] as const;

/** Tells once each that so much of a limit is spent: of a day's limit anew each day, of a total anew where it was raised. */
export function storeBudgetAlerts(draft: Draft, context: Context): void {
  const { account } = draft;
  const { budgets = [], budgetsTold = {}, currency } = account;
  if (budgets.length === 0 && account.budgetsTold === undefined) return;
  const day = midnight(context) / DAY_MS;
  const told: Record<string, BudgetTold> = {};
  for (const budget of budgets) {
    const { today, ever } = spentUnder(draft, budget, context);
    for (const [kind, spent, when] of [
      ["perDay", today, " a day"],
      ["total", ever, ""],
    ] as const) {
      const limit = budget[kind];
      if (limit === undefined) continue;
      const key = JSON.stringify([kind, budget.source, budget.label ?? {}]);
      const before = budgetsTold[key];
      const reached = shareOf(spent, parseUsd(limit));
      const of = { limit, ...(kind === "perDay" && { day }) };
      const known = before?.day === of.day ? (before?.share ?? 0) : 0;
      // A refund lowers what is spent: what is reached again then is no news.
      const share = before?.limit === limit ? Math.max(known, reached) : reached;
      told[key] = { ...of, share };
      if (reached <= known) continue;
      const text = `${whoseBudget(budget)}: ${amountText(spent, currency)} of ${usdText(limit)}${when} are spent, ${reached} % or more`;
      note(draft, context, "budget", reached < 100 ? text : `${text}: nothing more is launched for it`);
    }
  }
  if (JSON.stringify(told) === JSON.stringify(budgetsTold)) return;
  draft.putAccount({ ...draft.account, budgetsTold: told });
}

function shareOf(spent: Usd, limit: Usd | undefined): number {
  if (!limit || spent.lte(0)) return 0;
  return SHARES.find((share) => spent.times(100).gte(limit.times(share))) ?? 0;
}
