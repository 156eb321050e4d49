import type { Context } from "../../../launch/facts/context.ts";
import { type Bill, billsOf, sumOf } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Labels } from "../../../ledger/rows.ts";
import type { SpendBy } from "../../json/spend.ts";
import { type Costs, type Days, ownSpend, type Payer, payersOf } from "./spend.ts";

/** What one payer paid for under one set of labels. */
export interface LabelledCosts extends Pick<Costs, "bills" | "paid">, Pick<Payer, "kind" | "name"> {
  readonly labels: Labels;
}

/** All that was paid for in an account, parted by payer and labels. Together it is what spend.ts sums up. */
export function labelledCosts(draft: Draft, context: Context): readonly LabelledCosts[] {
  return payersOf(draft).flatMap(({ kind, name, owners }) => {
    const bills = owners.flatMap((owner) => billsOf(draft, owner, context));
    const byKey = new Map<string, { readonly labels: Labels; readonly bills: Bill[] }>();
    const under = (labels: Labels) => {
      const key = JSON.stringify(labels);
      const known = byKey.get(key) ?? { labels, bills: [] };
      byKey.set(key, known);
      return known;
    };
    for (const bill of bills) under(bill.labels).bills.push(bill);
    for (const owner of owners) for (const labels of draft.archive.labelsOf(owner)) under(labels);
    return [...byKey].map(([key, { labels, bills }]): LabelledCosts => {
      const isSame = (other: Labels): boolean => JSON.stringify(other) === key;
      const archived = (from?: number, to?: number) =>
        owners.map((owner) => draft.archive.spent(owner, from, to, isSame));
      const paid: Costs["paid"] = (from, to) =>
        archived(from, to).reduce((sum, usd) => sum.plus(usd), sumOf(bills, from, to));
      return { kind, name, labels, bills, paid };
    });
  });
}

/** What was paid for, by the value of one label; what has no such label last. */
export function spendBy(draft: Draft, label: string, days: Days, context: Context): SpendBy {
  const valueIn = ({ labels }: LabelledCosts): string | null =>
    Object.hasOwn(labels, label) ? (labels[label] ?? null) : null;
  const groups = [...Map.groupBy(labelledCosts(draft, context), valueIn)].sort(([one], [other]) =>
    one === null ? 1 : other === null ? -1 : one < other ? -1 : 1,
  );
  return {
    label,
    rows: groups.map(([value, costs]) => {
      const [first, ...rest] = costs;
      const bills = costs.flatMap((each) => each.bills);
      const paid: Costs["paid"] = (from, to) =>
        rest.reduce((sum, each) => sum.plus(each.paid(from, to)), (first as LabelledCosts).paid(from, to));
      return { value, ...ownSpend({ bills, paid }, days) };
    }),
  };
}
