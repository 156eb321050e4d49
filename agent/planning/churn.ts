import { diedYoung } from "../../launch/budget.ts";
import type { Context } from "../../launch/context.ts";
import { claimedBy } from "../../launch/occupancy.ts";
import { billOf } from "../../launch/spend.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS } from "../../ledger/instant.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import { gpusText } from "../fleet/text.ts";
import { parseWish } from "../fleet/wish.ts";
import { gpusOf } from "./count.ts";

/**
 * So many hours of all its GPUs may a fleet lose within 24 hours to machines that did not live for an hour: a
 * sixth of what it costs on a whole day. Counted in GPU hours, since the bound must hold where nobody knows a
 * price, and for a fleet of any size.
 */
const HOURS = 4;

/**
 * Why a fleet that says nothing of churn launches no more for now: whatever it is that ends its machines one
 * after the other (a service that flaps, an image that crashes, a check that is never passed), the next one
 * would be paid for, too.
 */
export function churnHold(draft: Draft, fleet: FleetRow, context: Context): string | undefined {
  const { gpus, overshoot, budget } = parseWish(fleet.wish);
  const lost = lostGpuHours(draft, fleet, context);
  const most = HOURS * (gpus + overshoot);
  if (budget.churn !== undefined || lost < most) return undefined;
  return (
    `${rounded(lost)} GPU hours were paid for in 24 hours for machines that did not live for an hour, and a fleet of ` +
    `${gpusText(gpus + overshoot)} without budget.churn loses no more than ${most} (${HOURS} hours of all of it): launches wait until ` +
    `less was lost. Set budget.churn, in USD, to say otherwise; or look why they end, then: fleetkeeper resume ${fleet.name}`
  );
}

/** The same, asked again in the transaction that writes a launch. */
export function whyChurned(draft: Draft, name: string, context: Context): string | undefined {
  const fleet = draft.fleets.get(name);
  return fleet && churnHold(draft, fleet, context);
}

/** True if people want this machine stopped now: a fleet that they drain or shrink loses nothing by that. */
export function isOrdered(draft: Draft, name: string, id: string, context: Context): boolean {
  const fleet = draft.fleets.get(name);
  const row = draft.deployments.get(id);
  if (!fleet || !row) return false;
  if (fleetPhase(draft, fleet, context).kind === "drained") return true;
  const since = draft.intents.get(row.intent ?? "")?.stamped ?? row.claimed;
  return since !== null && fleet.forgiven !== undefined && elapsed(since, fleet.forgiven) > 0;
}

/** Since the fleet was last resumed. A full refund counts for nothing, an interrupted machine by its time. */
function lostGpuHours(draft: Draft, { name, resumed }: FleetRow, context: Context): number {
  let sum = 0;
  for (const row of claimedBy(draft, fleetOwner(name))) {
    if (row.end === null || row.stop?.ordered) continue;
    if (resumed && row.ended && elapsed(row.ended, resumed) > 0) continue;
    const bill = billOf(draft, row, context);
    if (!diedYoung(bill, context)) continue;
    sum += gpusOf(draft, row) * (bill.refund === "unused" ? bill.lasted / HOUR_MS : 1);
  }
  return sum;
}

function rounded(hours: number): string {
  return String(Math.round(hours * 10) / 10);
}
