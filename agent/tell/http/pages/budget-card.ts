import { whoseBudget } from "../../../../launch/money/shared-budget.ts";
import { moneyText } from "../../../fleet/text/format.ts";
import { type Html, html, table } from "./html.ts";
import type { PageData } from "./page-data.ts";

/** The limits over a label or the whole account, a row each, and what is left. Not for guests: a label names a team. */
export function budgetCard({ isGuest, status: { budgets, currency } }: PageData): Html {
  const rows = budgets.flatMap((budget) =>
    [
      { when: "today", of: budget.perDay },
      { when: "in all", of: budget.total },
    ].flatMap(({ when, of }) => (of ? { whose: whoseBudget(budget), when, of } : [])),
  );
  if (isGuest || rows.length === 0) return html``;
  const money = (amount: string): string => moneyText(amount, currency);
  const unpriced = budgets.filter((each) => each.unpriced > 0).map(whoseBudget);
  return html`<section aria-labelledby="budgets"><h2 id="budgets">Limits</h2>
<div class="card">${table("Limits over a label or the account", rows, [
    { title: "Over", cell: ({ whose }) => whose },
    { title: "When", cell: ({ when }) => when },
    { title: "Limit", number: true, cell: ({ of }) => money(of.limit) },
    { title: "Spent", number: true, cell: ({ of }) => money(of.spent) },
    { title: "Left", number: true, cell: ({ of }) => money(of.left) },
  ])}${unpriced.length > 0 && html`<p class="quiet">Nothing is launched for ${unpriced.join(", ")} while the price of something that counts is not known.</p>`}</div></section>`;
}
