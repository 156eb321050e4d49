import { mayStop } from "../../../launch/ends/stop.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { isHeld } from "../../../launch/facts/machine-hold.ts";
import { billOf, stopLead } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { type Instant, MINUTE_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { begunMs } from "../../../service/contract/billing.ts";
import { minuteText } from "../../fleet/text/text.ts";
import { stopAhead } from "../../fleet/wish/before-stop-wish.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { mostWithin } from "../mix/most-within.ts";

/**
 * Which machines to stop so that `desired` GPUs remain, or as few more as their sizes allow. Among equal
 * choices the first in the order of stops go. Only what is certainly ours is stopped. A launch whose outcome
 * is not known is no surplus: its machine may not be there.
 */
export function surplus(
  draft: Draft,
  machines: readonly DeploymentRow[],
  desired: number,
  context: Context,
  rank?: (row: DeploymentRow) => number,
): readonly DeploymentRow[] {
  const live = gpusOfAll(draft, machines);
  const rows = inStopOrder(
    draft,
    machines.filter((row) => mayBeStopped(row, context.now)),
    context,
    rank,
  );
  return mostWithin(rows, (row) => gpusOf(draft, row), live - desired);
}

/** A machine that a person holds is not among them. */
export function mayBeStopped(row: DeploymentRow, now: Instant): boolean {
  return mayStop(row) && row.stop === null && row.status !== "stopping" && !isHeld(row, now);
}

/**
 * First those that an answer named and that nothing showed yet. Then those that do not run yet (their first hour is refunded),
 * then those nearest to the end of the time that is paid for, then the dearest a GPU by work, then the newest. Those of a lower
 * `rank` go before all these. Adopted ones go last: a person wanted them.
 */
export function inStopOrder(
  draft: Draft,
  machines: readonly DeploymentRow[],
  context: Context,
  rank: (row: DeploymentRow) => number = () => 0,
): readonly DeploymentRow[] {
  return [...machines].sort(
    (one, other) =>
      Number(isAdopted(one)) - Number(isAdopted(other)) ||
      Number(isOnlyNamed(other)) - Number(isOnlyNamed(one)) ||
      rank(one) - rank(other) ||
      minutesLeft(draft, one, context) - minutesLeft(draft, other, context) ||
      // One of unknown price goes last of these: this is an order, and judges no limit.
      (pricePerGpu(draft, other) ?? 0) - (pricePerGpu(draft, one) ?? 0) ||
      other.sequence - one.sequence,
  );
}

/** USD an hour of one GPU, by the work that it does. Undefined: nobody knows its price. */
export function pricePerGpu(draft: Draft, row: DeploymentRow): number | undefined {
  const { pricePerHour } = row;
  if (pricePerHour === null) return undefined;
  return Number(pricePerHour) / Math.max(gpusOf(draft, row), 1) / worthOf(draft, row);
}

function worthOf(draft: Draft, { intent }: DeploymentRow): number {
  return Number(draft.intents.ever(intent ?? "")?.worth ?? 1);
}

function isAdopted(row: DeploymentRow): boolean {
  return row.intent === null;
}

/** Its launch's answer named it, and nothing shows it. An answer may name a wrong id: the machine that is there has its launch's marker then. */
function isOnlyNamed({ lastSeen }: DeploymentRow): boolean {
  return lastSeen === null;
}

/** Left of what is paid for; 0 if refunded. Whole minutes, so machines that were launched together are equal. */
export function minutesLeft(draft: Draft, row: DeploymentRow, context: Context): number {
  if (row.status !== "running") return 0;
  return Math.ceil(paidLeft(draft, row, context) / MINUTE_MS);
}

/** Milliseconds until a stop, with what runs before it, comes right before the next time that would be paid for; 0 or less: now. */
export function untilPaidEnd(draft: Draft, wish: Wish, row: DeploymentRow, context: Context): number {
  return paidLeft(draft, row, context) - stopLead(context.settings) - stopAhead(wish);
}

/** From when on machines stop that wait for that, in so many ms; for people. */
export function paidEndText(wait: number, { now }: Context): string {
  return `are stopped at the end of the time that is paid for, from ${minuteText(now.wall + wait)} on`;
}

/**
 * What is replaced at the end of the time that is paid for begins to be so long before: what is new has to be ready by then, and more
 * of that time would be lost.
 */
export const LEAD_MS = 15 * MINUTE_MS;

/**
 * True near the end of the time that is paid for, and not so near that another such time begins within `startMs`, in which what is
 * new starts.
 */
export function isNearPaidEnd(
  draft: Draft,
  wish: Wish,
  row: DeploymentRow,
  context: Context,
  startMs: number,
): boolean {
  const before = stopAhead(wish);
  return [0, startMs === 0 ? 0 : startMs + before].every(
    (ahead) => paidLeft(draft, row, context, ahead) <= LEAD_MS + before,
  );
}

/** Milliseconds of the time that has begun to be billed that are left; `ahead`: so many ms later. */
export function paidLeft(draft: Draft, row: DeploymentRow, context: Context, ahead = 0): number {
  const { lasted, billing } = billOf(draft, row, context, ahead);
  return begunMs(billing, lasted) - lasted;
}
