import type { Draft } from "../../ledger/draft.ts";
import type { BudgetRow, DeploymentRow, Labels, Owner } from "../../ledger/rows.ts";
import { takenAtOnce } from "../../service/contract/billing.ts";
import { parsePrice, parseUsd, type Usd, usdText } from "../../service/contract/money.ts";
import type { Context } from "../facts/context.ts";
import { type Hold, hold, inCurrency } from "../facts/hold.ts";
import { covers, labelsOf, labelsOfOwner, labelsText } from "../facts/labels.ts";
import { isUnresolved } from "../facts/occupancy.ts";
import { midnight, type Priced, wayOn } from "./budget.ts";
import { type Bill, billOf, billOfIntent, sumOf, unpricedOf } from "./spend.ts";

/*
 * Limits over a label or the whole account (docs/how/labels.md). They stand in the account's row, so whoever launches is
 * held by them, in the transaction that writes the launch: what counts is read there, too. They stop nothing.
 */

/** What was paid for under a limit. */
export interface SharedSpend {
  readonly today: Usd;
  readonly ever: Usd;
  /** Of unknown price, so in neither sum. */
  readonly unpriced: readonly Bill[];
}

/** The limits that count what this owner launches next. */
export function budgetsOver(draft: Draft, owner: Owner): readonly BudgetRow[] {
  const { budgets = [] } = draft.account;
  if (budgets.length === 0) return budgets;
  const labels = labelsOfOwner(draft, owner);
  return budgets.filter(({ label = {} }) => covers(label, labels));
}

/** `team=vision`, or `the whole account`. */
export function whoseBudget({ label = {} }: Pick<BudgetRow, "label">): string {
  return Object.keys(label).length === 0 ? "the whole account" : labelsText(label);
}

export function spentUnder(draft: Draft, { label = {} }: BudgetRow, context: Context): SharedSpend {
  const counts = (labels: Labels): boolean => covers(label, labels);
  const bills = [
    ...[...draft.deployments.values()]
      .filter((row) => isOurs(row) && counts(labelsOf(draft, row)))
      .map((row) => billOf(draft, row, context)),
    ...[...draft.intents.values()]
      .filter((intent) => isUnresolved(draft, intent) && counts(labelsOf(draft, intent)))
      .map((intent) => billOfIntent(draft, intent, context)),
  ];
  const paid = (from?: number): Usd =>
    [...draft.archive.owners()].reduce(
      (sum, owner) => sum.plus(draft.archive.spent(owner, from, undefined, counts)),
      sumOf(bills, from),
    );
  return { today: paid(midnight(context)), ever: paid(), unpriced: unpricedOf(bills) };
}

function isOurs({ claim, owner }: DeploymentRow): boolean {
  return owner !== null && (claim === "certain" || claim === "inferred");
}

/** The reason why this launch would break a limit that others share, or undefined. */
export function overSharedBudget(
  draft: Draft,
  { owner, pricePerHour }: Omit<Priced, "limits">,
  context: Context,
): Hold | undefined {
  for (const budget of budgetsOver(draft, owner)) {
    const price = parsePrice(pricePerHour);
    if (price === undefined) return hold("unpriced", { of: "this offer" });
    const held = overOne(draft, budget, price, context);
    if (held) return inCurrency(held, draft.account);
  }
  return undefined;
}

function overOne(draft: Draft, budget: BudgetRow, price: Usd, context: Context): Hold | undefined {
  const { today, ever, unpriced } = spentUnder(draft, budget, context);
  const counted = budget.total === undefined ? unpriced.filter((bill) => isOfToday(bill, context)) : unpriced;
  const [first] = counted;
  if (first) return hold("unpricedSum", { of: first.of, wayOn: wayOn(draft, first.of) });
  const taken = takenAtOnce(draft.account.billing, price);
  const whose = whoseBudget(budget);
  const numbers = (sum: Usd, limit: Usd) => ({ sum: usdText(sum), whose, limit: usdText(limit) });
  const [perDay, total] = [parseUsd(budget.perDay ?? ""), parseUsd(budget.total ?? "")];
  if (perDay && today.plus(taken).gt(perDay)) return hold("sharedPerDay", numbers(today.plus(taken), perDay));
  if (total && ever.plus(taken).gt(total)) return hold("sharedTotal", numbers(ever.plus(taken), total));
  return undefined;
}

function isOfToday({ from, lasted }: Bill, context: Context): boolean {
  return from + lasted >= midnight(context);
}
