import type { Context } from "../../../launch/facts/context.ts";
import { unaccounted } from "../../../launch/facts/occupancy.ts";
import { midnight } from "../../../launch/money/budget.ts";
import { type Bill, billsOf, paidBy, sumOf, unpricedOf } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { DAY_MS } from "../../../ledger/instant.ts";
import { fleetOwner, slotOwner } from "../../../ledger/owner.ts";
import type { Owner } from "../../../ledger/rows.ts";
import { formatUsd, USD, type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import type { FleetSpent, OwnSpend, Spending, WholeSpend } from "../../json/spend.ts";
import { serviceOf } from "../phase/part.ts";
import { partsByWhole } from "../phase/whole-parts.ts";
import { hourly } from "./money.ts";

/** What was paid for, estimated (see launch/money/spend.ts). USD with 4 decimals. */
export function spending(draft: Draft, begins: Days, context: Context): Spending {
  const costs = (owners: readonly Owner[]) => costsOf(draft, owners, context);
  const owners = payersOf(draft)
    .map(({ kind, name, owners }) => ({ kind, name, ...costs(owners) }))
    .filter(({ machines }) => machines > 0);
  const strangers = unaccounted(draft);
  const { perHour, unpriced } = hourly(draft, strangers);
  return {
    unaccounted: { machines: strangers.length, pricePerHour: formatUsd(perHour), unpriced },
    days: begins.map(dayOf),
    owners: owners.map((costs) => ({ kind: costs.kind, name: costs.name, ...ownSpend(costs, begins) })),
    all: ownSpend(allOf(owners), begins),
  };
}

/** A fleet, or all slots of one Pulumi deployment: each of its replacements has one of its own. */
export interface Payer {
  readonly kind: "fleet" | "deployment";
  readonly name: string;
  readonly owners: readonly Owner[];
}

/** All that may have paid for something, by the names that people know. */
export function payersOf(draft: Draft): readonly Payer[] {
  const slots = Map.groupBy(draft.slots.values(), ({ name }) => name);
  return [
    ...[...draft.fleets.keys()].map((name) => ({
      kind: "fleet" as const,
      name,
      owners: [fleetOwner(name)],
    })),
    ...[...slots].map(([name, rows]) => ({
      kind: "deployment" as const,
      name,
      owners: rows.map(({ id }) => slotOwner(id)),
    })),
  ];
}

/** What one fleet, or all slots of one Pulumi deployment, paid for. */
export function spendingOf(draft: Draft, owners: readonly Owner[], days: number, context: Context) {
  const begins = daysBack(days, context);
  const costs = costsOf(draft, owners, context);
  return { days: begins.map(dayOf), machines: costs.machines, ...ownSpend(costs, begins) };
}

/**
 * What each fleet over several accounts has cost, over all and by service. Not one whose accounts count in several currencies:
 * nothing is a sum of two.
 */
export function wholeSpending(
  drafts: ReadonlyMap<string, Draft>,
  begins: Days,
  context: Context,
): readonly WholeSpend[] {
  return [...partsByWhole(drafts)].flatMap(([name, parts]) => {
    const [currency = USD, ...others] = new Set(parts.map(({ draft }) => draft.account.currency ?? USD));
    const costs = parts.map(({ draft, fleet }) => costsOf(draft, [fleetOwner(fleet.name)], context));
    if (others.length > 0 || costs.every(({ machines }) => machines === 0)) return [];
    const services = parts.map(({ draft, fleet }, index) => ({
      ...{ service: serviceOf(fleet), fleet: fleet.name, account: draft.account.email },
      ...ownSpend(costs[index] ?? allOf([]), begins),
    }));
    return [{ name, currency, days: begins.map(dayOf), all: ownSpend(allOf(costs), begins), services }];
  });
}

/** When days of UTC beside each other began, the oldest first: wall times in ms. */
export type Days = readonly number[];

/** So many days, today last. */
export function daysBack(days: number, context: Context): Days {
  return Array.from({ length: days }, (_, index) => midnight(context) - (days - 1 - index) * DAY_MS);
}

/** The days of a month such as 2026-11. */
export function daysOfMonth(month: string): Days {
  const first = new Date(`${month}-01T00:00:00Z`);
  const next = new Date(first);
  next.setUTCMonth(first.getUTCMonth() + 1);
  const days = (next.getTime() - first.getTime()) / DAY_MS;
  return Array.from({ length: days }, (_, index) => first.getTime() + index * DAY_MS);
}

function dayOf(begin: number): string {
  return new Date(begin).toISOString().slice(0, 10);
}

/** What one fleet has cost, for a line beside its cost an hour. */
export function spentBy(draft: Draft, fleet: string, context: Context): FleetSpent {
  const costs = costsOf(draft, [fleetOwner(fleet)], context);
  const { bills } = costs;
  const begin = midnight(context);
  const { sum: today, ever, unpriced } = ownSpend(costs, [begin]);
  const unrefunded = bills.map((bill) => ({ ...bill, refund: "none" as const }));
  const refunded = sumOf(unrefunded, begin).minus(sumOf(bills, begin));
  return { today, refundedToday: formatUsd(refunded), ever, unpriced };
}

/** What some owners paid for. */
export interface Costs {
  readonly bills: readonly Bill[];
  /** How many machines, archived ones among them. */
  readonly machines: number;
  /** USD for the hours that begin between two midnights. */
  paid(from?: number, to?: number): Usd;
}

function costsOf(draft: Draft, owners: readonly Owner[], context: Context): Costs {
  const each = owners.map((owner): Costs => {
    const bills = billsOf(draft, owner, context);
    return {
      bills,
      machines: bills.length + draft.archive.hadBy(owner),
      paid: (from, to) => paidBy(draft, owner, bills, from, to),
    };
  });
  return allOf(each);
}

function allOf(costs: readonly Costs[]): Costs {
  return {
    bills: costs.flatMap(({ bills }) => bills),
    machines: costs.reduce((sum, { machines }) => sum + machines, 0),
    paid: (from, to) => costs.reduce<Usd>((sum, each) => sum.plus(each.paid(from, to)), ZERO_USD),
  };
}

export function ownSpend({ bills, paid }: Pick<Costs, "bills" | "paid">, begins: Days): OwnSpend {
  const end = (begins.at(-1) ?? 0) + DAY_MS;
  const sum = (from?: number, to?: number): string => formatUsd(paid(from, to));
  return {
    perDay: begins.map((begin) => sum(begin, begin + DAY_MS)),
    sum: sum(begins[0], end),
    ever: sum(),
    unpriced: unpricedOf(bills).length,
  };
}
