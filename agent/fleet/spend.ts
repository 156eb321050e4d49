import { midnight } from "../../launch/budget.ts";
import type { Context } from "../../launch/context.ts";
import { unaccounted } from "../../launch/occupancy.ts";
import type { Bill } from "../../launch/spend.ts";
import { billsOf, sumOf, unpricedOf } from "../../launch/spend.ts";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import { fleetOwner, slotOwner } from "../../ledger/owner.ts";
import type { Owner } from "../../ledger/rows.ts";
import { formatUsd } from "../../service/money.ts";
import { hourly } from "./money.ts";

/** What was paid for, estimated (see launch/spend.ts). USD with 4 decimals. */
export type Spending = ReturnType<typeof spending>;
export type OwnSpend = ReturnType<typeof ownSpend>;

export function spending(draft: Draft, days: number, context: Context) {
  const begins = Array.from({ length: days }, (_, index) => midnight(context) - (days - 1 - index) * DAY_MS);
  const bills = (owner: Owner) => billsOf(draft, owner, context);
  // Each replacement of a Pulumi deployment has a slot of its own.
  const slots = Map.groupBy(draft.slots.values(), ({ name }) => name);
  const owners = [
    ...[...draft.fleets.keys()].map((name) => ({
      kind: "fleet" as const,
      name,
      bills: bills(fleetOwner(name)),
    })),
    ...[...slots].map(([name, rows]) => ({
      kind: "deployment" as const,
      name,
      bills: rows.flatMap(({ id }) => bills(slotOwner(id))),
    })),
  ].filter((owner) => owner.bills.length > 0);
  const all = owners.flatMap((owner) => owner.bills);
  const strangers = unaccounted(draft);
  const { perHour, unpriced } = hourly(draft, strangers);
  return {
    /** Machines that live and that nobody here answers for: in none of the sums. */
    unaccounted: { machines: strangers.length, pricePerHour: formatUsd(perHour), unpriced },
    /** Days of UTC such as `2026-07-01`, the oldest first, today last. */
    days: begins.map((begin) => new Date(begin).toISOString().slice(0, 10)),
    /** Fleets, also removed ones, then Pulumi deployments. */
    owners: owners.map(({ kind, name, bills }) => ({ kind, name, ...ownSpend(bills, begins) })),
    all: ownSpend(all, begins),
  };
}

/** What one fleet has cost, for a line beside its cost an hour. */
export function spentBy(draft: Draft, fleet: string, context: Context) {
  const bills = billsOf(draft, fleetOwner(fleet), context);
  const begin = midnight(context);
  const { sum: today, ever, unpriced } = ownSpend(bills, [begin]);
  const unrefunded = bills.map((bill) => ({ ...bill, refund: "none" as const }));
  const refunded = sumOf(unrefunded, begin).minus(sumOf(bills, begin));
  /** `refundedToday`: of today's hours. `today` has fallen by it. */
  return { today, refundedToday: formatUsd(refunded), ever, unpriced };
}

function ownSpend(bills: readonly Bill[], begins: readonly number[]) {
  const sum = (from?: number, to?: number): string => formatUsd(sumOf(bills, from, to));
  return {
    /** One sum for each of the days. */
    perDay: begins.map((begin) => sum(begin, begin + DAY_MS)),
    sum: sum(begins[0]),
    /** Since the ledger has known it. */
    ever: sum(),
    /** Machines of unknown price: they are in none of these sums. */
    unpriced: unpricedOf(bills).length,
  };
}
