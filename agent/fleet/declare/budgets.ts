import { whoseBudget } from "../../../launch/money/shared-budget.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { BudgetRow, Labels } from "../../../ledger/rows.ts";
import { amountText } from "../../../service/contract/money.ts";

/** A limit as a fleet file says it. */
export interface Budget {
  readonly label?: Labels | undefined;
  readonly perDay?: string | undefined;
  readonly total?: string | undefined;
}

/**
 * Stores the limits of one source in the place of those that it said before. Limits of another source stay, unless that is
 * gone. Says what has changed, for people.
 */
export function declareBudgets(
  draft: Draft,
  source: string,
  budgets: readonly Budget[],
  isGone: (source: string) => boolean,
): readonly string[] {
  const { budgets: before = [], ...account } = draft.account;
  const others = before.filter((each) => each.source !== source && !isGone(each.source));
  const now = [...others, ...budgets.map((budget) => ofAccount(source, budget))];
  const [had, has] = [before, now].map((each) => each.map((budget) => budgetText(budget, account.currency)));
  if (JSON.stringify(before) === JSON.stringify(now)) return [];
  draft.putAccount({ ...account, ...(now.length > 0 && { budgets: now }) });
  return [
    ...(has ?? []).filter((text) => !had?.includes(text)).map((text) => `budgets: ${text}`),
    ...(had ?? []).filter((text) => !has?.includes(text)).map((text) => `budgets: no more ${text}`),
  ];
}

/** In the ledger a limit is its account's, and says nothing of the service. */
function ofAccount(source: string, { label, perDay, total }: Budget): BudgetRow {
  return {
    source,
    ...(label && { label }),
    ...(perDay !== undefined && { perDay }),
    ...(total !== undefined && { total }),
  };
}

/** `team=vision: 200.00 USD a day, 4,000.00 USD in all`. */
function budgetText(budget: BudgetRow, currency: string | undefined): string {
  const { perDay, total } = budget;
  const limits = [
    perDay !== undefined && `${amountText(perDay, currency)} a day`,
    total !== undefined && `${amountText(total, currency)} in all`,
  ];
  return `${whoseBudget(budget)}: ${limits.filter(Boolean).join(", ")}`;
}

/** Two limits over the same labels are one too many. */
export function haveSameLabels(one: { readonly label?: Labels | undefined }, other: typeof one): boolean {
  return JSON.stringify(one.label ?? {}) === JSON.stringify(other.label ?? {});
}
