import { isUnserving } from "../../../launch/ends/unserving.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { type Hold, hold, inCurrency } from "../../../launch/facts/hold.ts";
import { claimedBy } from "../../../launch/facts/occupancy.ts";
import { diedYoung } from "../../../launch/money/budget.ts";
import { billOf, billsOf, sumOf } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, HOUR_MS, isBefore } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { paidMs } from "../../../service/contract/billing.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { mostOfWhole } from "../../fleet/phase/part.ts";
import { askedNow, atItsLargest, scheduleOf } from "../../fleet/size/asked-size.ts";
import { gpusText } from "../../fleet/text/text.ts";
import { askedAt } from "../../fleet/wish/schedule.ts";
import { parseWish } from "../../fleet/wish/wish.ts";
import { gpusOf } from "./machine-gpus.ts";
import { wishInForce } from "./wish-in-force.ts";

/**
 * How many hours of all its GPUs a fleet may lose in 24 hours to machines that did not live for an hour: a
 * sixth of a day's cost. In GPU hours, so that it works for any size of fleet, and without a known price.
 */
const HOURS = 4;

/**
 * Why a fleet without `budget.churn` launches nothing for now: something ends its machines (a service that
 * flaps, an image that crashes, a check that is never passed), and the next one would be paid for, too.
 */
export function whyChurned(draft: Draft, fleet: FleetRow, context: Context): Hold | undefined {
  const { budget, ...wish } = wishInForce(draft, fleet, context);
  // A part that has no GPUs of the whole yet may lose as many hours as any other. What a small window of a schedule loses
  // counts against the largest one, which may come before a day is over.
  const { gpus, overshoot } = fleet.part
    ? { ...parseWish(fleet.part.whole), gpus: mostOfWhole(fleet.part) }
    : atItsLargest(wish);
  const lost = lostGpuHours(draft, fleet, context);
  const most = HOURS * (gpus + overshoot);
  if (budget.churn !== undefined || lost < most) return undefined;
  const rounded = Math.round(lost * 10) / 10;
  const held = hold("churned", {
    lost: rounded,
    gpus: gpusText(gpus + overshoot),
    most,
    hours: HOURS,
    fleet: fleet.name,
  });
  return inCurrency(held, draft.account);
}

/** True if to stop these machines now would lose so much to churn that the next launch waits. */
export function wouldChurn(
  draft: Draft,
  fleet: FleetRow,
  rows: readonly DeploymentRow[],
  context: Context,
): boolean {
  const { gpus, overshoot, budget } = atItsLargest(wishInForce(draft, fleet, context));
  const young = rows
    .map((row) => ({ row, bill: billOf(draft, row, context) }))
    .filter(({ bill }) => bill.lasted < HOUR_MS);
  if (budget.churn === undefined) {
    const lost = young.reduce(
      (sum, { row, bill: { billing, lasted } }) =>
        sum + (gpusOf(draft, row) * paidMs(billing, lasted, true)) / HOUR_MS,
      lostGpuHours(draft, fleet, context),
    );
    return lost >= HOURS * (gpus + overshoot);
  }
  const died = billsOf(draft, fleetOwner(fleet.name), context).filter((each) => diedYoung(each, context));
  return sumOf([...died, ...young.map(({ bill }) => bill)]).gte(budget.churn);
}

/** True if people asked for this stop, which is no churn: the fleet is drained, was changed since, or its schedule, its metric or a person asked for more then. */
export function isOrdered(draft: Draft, name: string, id: string, context: Context): boolean {
  const fleet = draft.fleets.get(name);
  const row = draft.deployments.ever(id);
  if (!fleet || !row) return false;
  if (fleetPhase(draft, fleet, context).kind === "drained") return true;
  const since = draft.intents.ever(row.intent ?? "")?.stamped ?? row.claimed;
  if (since === null) return false;
  const schedule = scheduleOf(fleet, context);
  const { metric, work } = parseWish(fleet.wish);
  const fell = [metric && fleet.metric?.fell, work && fleet.work?.fell, fleet.ask?.fell, fleet.part?.fell];
  // One that bills and does not serve is no part of what a window, a metric or a person leaves.
  const isLess =
    (schedule && askedAt(schedule, since.wall).gpus > askedNow(fleet, context)) ||
    fell.some((at) => at && isBefore(since, at, context.now));
  if (isLess && !isUnserving(draft, row, context)) return true;
  return fleet.forgiven !== undefined && elapsed(since, fleet.forgiven) > 0;
}

/** Since the last resume. A full refund counts as 0, an interrupted machine by the time it ran. */
function lostGpuHours(draft: Draft, { name, resumed }: FleetRow, context: Context): number {
  let sum = 0;
  for (const row of claimedBy(draft, fleetOwner(name))) {
    if (row.end === null || row.stop?.ordered) continue;
    if (resumed && row.ended && elapsed(row.ended, resumed) > 0) continue;
    const bill = billOf(draft, row, context);
    if (!diedYoung(bill, context)) continue;
    const paid = bill.refund === "unused" ? bill.lasted : paidMs(bill.billing, bill.lasted, true);
    sum += (gpusOf(draft, row) * paid) / HOUR_MS;
  }
  return sum;
}
