import Big from "big.js";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS, type Instant, MINUTE_MS } from "../../ledger/instant.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { DeploymentRow, IntentRow, Labels, Owner } from "../../ledger/rows.ts";
import { atOnceMs, type Billing, billingOf, paidMs, priceOfTime } from "../../service/contract/billing.ts";
import { combinationText, STATES_BEFORE_RUNNING } from "../../service/contract/contract.ts";
import { type Usd, ZERO_USD } from "../../service/contract/money.ts";
import type { Context, ProtocolSettings } from "../facts/context.ts";
import { labelsOf } from "../facts/labels.ts";
import { claimedBy, unresolvedOf } from "../facts/occupancy.ts";
import { expectedPrice, priceOf } from "./price.ts";

/**
 * What one machine costs, estimated from the ledger alone: the service shows no bill. Whole hours are paid in
 * advance, from the launch on; the estimate begins rather too early. It leaves out what the specification
 * refunds: all of a launch that failed or that we stopped before it ran, and the unused time of an
 * interrupted machine. Any other end counts all hours that have begun: a refund is not shown then. Where a profile
 * says how time is billed, units of that and its least take the place of hours, and only a failed launch is free.
 */
export interface Bill {
  /** The deployment, or the launch's combination while its outcome is not known. */
  readonly of: string;
  /** Wall time in ms at which the first hour begins. */
  readonly from: number;
  /** How long it has been there, in ms. */
  readonly lasted: number;
  /** Undefined: it lives, or may live. */
  readonly ended: Instant | undefined;
  /** USD an hour; undefined if not known. */
  readonly price: Usd | undefined;
  readonly refund: "none" | "unused" | "all";
  /** Under which it is paid for. */
  readonly labels: Labels;
  /** Absent: as the specification has it. */
  readonly billing?: Billing | undefined;
}

/**
 * The lead in ms at which a stop avoids a running machine's next hour: failed calls are repeated, and the
 * machine needs time to leave.
 */
export function stopLead({ poll }: ProtocolSettings): number {
  return 5 * MINUTE_MS + 2 * poll;
}

/**
 * All that this owner paid for, or may be paying for, but for machines that are archived. `ahead`: living
 * machines so many ms later.
 */
export function billsOf(draft: Draft, owner: Owner, context: Context, ahead = 0): readonly Bill[] {
  return [
    ...claimedBy(draft, owner).map((row) => billOf(draft, row, context, ahead)),
    ...unresolvedOf(draft, owner).map((intent) => billOfIntent(draft, intent, context, ahead)),
  ];
}

export function billOf(draft: Draft, row: DeploymentRow, { now }: Context, ahead = 0): Bill {
  const { billing } = draft.account;
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  const begun = beginning(row, intent, now);
  const ended = row.end === null ? undefined : (row.ended ?? now);
  return {
    of: row.id,
    from: begun.wall,
    lasted: ended ? lasted(begun, ended) : lasted(begun, now) + ahead,
    ended,
    price: priceOf(draft, row),
    refund: refundOf(row, ended ? lasted(begun, ended) : 0, billing),
    labels: labelsOf(draft, row),
    billing,
  };
}

/**
 * Only a launch that failed is refunded; a refund of a machine that ran and then failed is not shown. An
 * older row does not say whether it ran: it counts as a failed launch if it ended in its first hour.
 */
function refundOf(
  { end, stop, young }: DeploymentRow,
  lasted: number,
  billing: Billing | undefined,
): Bill["refund"] {
  if (end === "failed" && (young ?? lasted < HOUR_MS)) return "all";
  if (billing) return "none";
  if (end === "interrupted") return "unused";
  const stoppedBefore = STATES_BEFORE_RUNNING.includes(stop?.acceptedIn ?? "");
  return (end === "failed" || end === "stopped") && stoppedBefore ? "all" : "none";
}

/** A launch whose outcome is not known counts as a machine. */
export function billOfIntent(draft: Draft, intent: IntentRow, { now }: Context, ahead = 0): Bill {
  return {
    of: `the launch of ${combinationText(intent)}`,
    from: intent.stamped.wall,
    lasted: lasted(intent.stamped, now) + ahead,
    ended: undefined,
    price: expectedPrice(draft, intent),
    refund: "none",
    labels: labelsOf(draft, intent),
    billing: draft.account.billing,
  };
}

/**
 * The cost of the hours that begin in this stretch of wall time; 0 if the price is not known. A bill's least counts
 * where it begins. Stretches beside each other add up to the whole.
 * @internal Exported for its test.
 */
export function costOf(bill: Bill, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): Usd {
  const { price = ZERO_USD, refund } = bill;
  if (refund === "all") return ZERO_USD;
  const { unit } = billingOf(bill.billing);
  const isOver = bill.ended !== undefined;
  const atOnce = atOnceMs(bill.billing, isOver);
  const paid = paidMs(bill.billing, bill.lasted, isOver);
  const before = (moment: number): number =>
    moment <= bill.from ? 0 : Math.min(paid, Math.max(atOnce, Math.ceil((moment - bill.from) / unit) * unit));
  const first = before(from);
  const end = before(to);
  // Most bills have no hour in a day that is asked for.
  if (first === end) return ZERO_USD;
  const until = priceOfTime(price, end);
  const whole = first === 0 ? until : until.minus(priceOfTime(price, first));
  if (refund === "none" || end !== paid) return whole;
  const unused = price.times(paid - bill.lasted).div(HOUR_MS);
  return whole.minus(unused.round(4, Big.roundDown));
}

export function sumOf(bills: readonly Bill[], from?: number, to?: number): Usd {
  return bills.reduce((sum, bill) => {
    const cost = costOf(bill, from, to);
    return cost === ZERO_USD ? sum : sum.plus(cost);
  }, ZERO_USD);
}

/**
 * USD that this owner paid by these bills and for archived machines, for the hours that begin between two
 * midnights of UTC: wall times in ms.
 */
export function paidBy(draft: Draft, owner: Owner, bills: readonly Bill[], from?: number, to?: number): Usd {
  return sumOf(bills, from, to).plus(draft.archive.spent(owner, from, to));
}

/**
 * USD that counts towards this owner's total: what its life has cost, or with `name` what all lives of its stack
 * have. A machine of an earlier life that is disowned later must make no room, so no machine of this one is left out.
 */
export function countedBy(draft: Draft, owner: Owner, bills: readonly Bill[], of: TotalOf = "life"): Usd {
  const paid = paidBy(draft, owner, bills);
  const { kind, name } = ownerParts(owner);
  const earlier = kind === "fleet" ? draft.fleets.get(name)?.earlier : undefined;
  if (earlier === undefined) return paid;
  const counted = paid.minus(earlier[of]);
  const least = sumOf(bills.filter(({ from }) => from >= earlier.since));
  return counted.gt(least) ? counted : least;
}

/** What a total counts: one life of a fleet, or all lives that its stack or file gave to the name. */
export type TotalOf = "life" | "name";

/** Bills of unknown price. A sum with one of them is only the least that it can be. */
export function unpricedOf(bills: readonly Bill[]): readonly Bill[] {
  return bills.filter(({ price, refund }) => price === undefined && refund !== "all");
}

/** The POST, or an earlier sight. What was adopted counts from then on, whatever it cost before. */
function beginning(row: DeploymentRow, intent: IntentRow | undefined, now: Instant): Instant {
  if (!intent) return row.claimed ?? row.firstSeen;
  return lasted(intent.stamped, now) > lasted(row.firstSeen, now) ? intent.stamped : row.firstSeen;
}

/** A machine bills while this computer sleeps and its monotonic clock stands: the longer counts. */
function lasted(from: Instant, to: Instant): number {
  return Math.max(elapsed(from, to), to.wall - from.wall);
}
