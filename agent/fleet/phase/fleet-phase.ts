import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { billsOf, countedBy, stopLead } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Instant } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { amountText, parseUsd, type Usd, usdText } from "../../../service/contract/money.ts";
import type { FleetPhase } from "../../json/status.ts";
import { stopAhead } from "../wish/before-stop-wish.ts";
import type { Wish } from "../wish/wish.ts";
import { endText, wishWithEnd } from "./life.ts";

/**
 * The only place that decides this. Asked in each transaction that writes a launch, and before each send. A deadline
 * and a spent total drain a paused fleet, too: a forgotten machine is what people fear most.
 */
export function fleetPhase(draft: Draft, fleet: FleetRow, context: Context): FleetPhase {
  if (fleet.removed) return { kind: "drained", by: "removal", why: "the fleet was removed" };
  if (fleet.drained?.by === "operator")
    return {
      kind: "drained",
      by: "operator",
      why: `an operator drains the fleet, until fleetkeeper resume ${fleet.name}`,
    };
  const wish = wishWithEnd(fleet);
  const ahead = stopAhead(wish);
  const spent = spentTotal(draft, fleet, wish, context, ahead);
  if (spent !== undefined) return { kind: "drained", by: "total", why: spent };
  // A clock that was set back, as after a reboot, must not rent everything again.
  const hasPassed = fleet.drained?.by === "deadline" && fleet.drained.limit === wish.until;
  const left = untilDeadline(wish, context);
  if (hasPassed || (left !== undefined && left <= ahead)) {
    const how =
      left && wish.beforeStop ? `comes, and beforeStop takes up to ${wish.beforeStop.within}` : "has passed";
    return { kind: "drained", by: "deadline", why: `${endText(fleet)} ${how}` };
  }
  if (fleet.paused)
    return { kind: "paused", why: `paused by an operator, until fleetkeeper resume ${fleet.name}` };
  if (wish.paused) return { kind: "paused", why: "paused by its declaration" };
  return { kind: "kept" };
}

/**
 * True if nothing may delay the stops of its machines by so many ms more: its deadline has passed by then, or they would
 * pay for what goes above its total. A fleet with a beforeStop is drained earlier than that.
 */
export function hasReachedItsEnd(draft: Draft, fleet: FleetRow, context: Context, delay = 0): boolean {
  const wish = wishWithEnd(fleet);
  const left = untilDeadline(wish, context);
  if (left !== undefined && (left === 0 || left < delay)) return true;
  const total = wish.budget.total === undefined ? undefined : parseUsd(wish.budget.total);
  return total !== undefined && paidIn(draft, fleet, wish, context, delay).gt(total);
}

/** What it will have paid when its machines can be stopped, if nobody begins to for so many ms. */
function paidIn(draft: Draft, { name }: FleetRow, wish: Wish, context: Context, delay: number): Usd {
  const bills = billsOf(draft, fleetOwner(name), context, stopLead(context.settings) + delay);
  return countedBy(draft, fleetOwner(name), bills, wish.budget.totalOf);
}

/**
 * Says so if the hours that begin before the fleet could be stopped would go above its total: the fleet is
 * drained before it pays for them. It stays so until its total is raised or it is resumed: else the rest
 * would be spent on machines that have to leave again at once. `ahead`: what its stops may wait for, in ms.
 */
function spentTotal(
  draft: Draft,
  fleet: FleetRow,
  wish: Wish,
  context: Context,
  ahead: number,
): string | undefined {
  const total = wish.budget.total === undefined ? undefined : parseUsd(wish.budget.total);
  if (total === undefined) return undefined;
  const owner = fleetOwner(fleet.name);
  const { totalOf } = wish.budget;
  const next = paidIn(draft, fleet, wish, context, ahead);
  const { drained } = fleet;
  const before = drained?.by === "total" && drained.limit !== null ? parseUsd(drained.limit) : undefined;
  if (next.lte(total) && !(before && total.lte(before))) return undefined;
  const sum = countedBy(draft, owner, billsOf(draft, owner, context), totalOf);
  const more = next.gt(sum)
    ? `, and ${draft.account.billing ? "the time until it is stopped" : "the next hour"} would make it ${usdText(next)}`
    : "";
  const whose = totalOf === "name" ? ", earlier lives included (totalOf: name)" : "";
  return `the fleet has cost ${amountText(sum, draft.account.currency)} of its total of ${usdText(total)}${whose}${more}`;
}

/** Milliseconds until the deadline, by the wall clock; 0 once it has passed, undefined without one. */
export function untilDeadline(
  { until }: Pick<Wish, "until">,
  { now }: { readonly now: Pick<Instant, "wall"> },
): number | undefined {
  return until === undefined ? undefined : Math.max(0, Date.parse(until) - now.wall);
}

/**
 * Writes down that a deadline or a total drains a fleet, or drains it no more, and tells it once. Called in
 * the transaction that asks for the stops.
 */
export function storePhase(draft: Draft, fleet: FleetRow, context: Context): void {
  const now = fleetPhase(draft, fleet, context);
  const before = fleet.drained ?? null;
  const owner = fleetOwner(fleet.name);
  if (now.kind !== "drained") {
    if (before === null) return;
    draft.putFleet({ ...fleet, drained: null });
    note(draft, context, "resumed", `${fleet.name} is not drained any more`, { owner });
  } else if (now.by !== "removal" && now.by !== "operator") {
    const { until, budget } = wishWithEnd(fleet);
    const limit = (now.by === "total" ? budget.total : until) ?? null;
    if (before?.by === now.by && before.limit === limit) return;
    draft.putFleet({ ...fleet, drained: { by: now.by, since: context.now.wall, limit } });
    note(draft, context, "drained", `${fleet.name} is drained: ${now.why}`, { owner });
  }
}
