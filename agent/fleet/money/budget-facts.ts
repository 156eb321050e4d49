import type { Context } from "../../../launch/facts/context.ts";
import { spentUnder, whoseBudget } from "../../../launch/money/shared-budget.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { amountText, formatUsd, parseUsd, type Usd, usdText } from "../../../service/contract/money.ts";
import type { BudgetFacts } from "../../json/budgets.ts";
import type { Clean } from "../text/text.ts";

/** The limits of an account over a label or all of it, and what each has left. */
export function budgetFacts(draft: Draft, context: Context): readonly BudgetFacts[] {
  return (draft.account.budgets ?? []).map((budget) => {
    const { today, ever, unpriced } = spentUnder(draft, budget, context);
    return {
      label: budget.label ?? {},
      source: budget.source,
      perDay: limitFacts(budget.perDay, today),
      total: limitFacts(budget.total, ever),
      unpriced: unpriced.length,
    };
  });
}

function limitFacts(limit: string | undefined, spent: Usd): BudgetFacts["perDay"] {
  const most = limit === undefined ? undefined : parseUsd(limit);
  if (!most) return null;
  const left = most.minus(spent);
  return { limit: formatUsd(most), spent: formatUsd(spent), left: left.lt(0) ? "0.0000" : formatUsd(left) };
}

/** `team=vision: 36.64 of 200.00 USD today, 163.36 left; ...`: a line for each limit. */
export function budgetTexts(
  facts: readonly BudgetFacts[],
  currency: string,
  clean: Clean,
): readonly string[] {
  return facts.map((each) => {
    const part = (of: BudgetFacts["perDay"], when: string) =>
      of && `${usdText(of.spent)} of ${amountText(of.limit, currency)} ${when}, ${usdText(of.left)} left`;
    const least =
      each.unpriced > 0
        ? "; nothing is launched for it while the price of something that counts is not known"
        : "";
    const parts = [part(each.perDay, "today"), part(each.total, "in all")].filter(Boolean);
    return `${clean(whoseBudget(each))}: ${parts.join("; ")}${least}`;
  });
}
