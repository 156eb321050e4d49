import Big from "big.js";
import type { Draft } from "../ledger/draft.ts";
import type { Instant } from "../ledger/instant.ts";
import { elapsed, HOUR_MS, MINUTE_MS } from "../ledger/instant.ts";
import type { DeploymentRow, IntentRow, Owner } from "../ledger/rows.ts";
import { place, STATES_BEFORE_RUNNING } from "../service/contract.ts";
import type { Usd } from "../service/money.ts";
import { ZERO_USD } from "../service/money.ts";
import type { Context, ProtocolSettings } from "./context.ts";
import { claimedBy, occupancy } from "./occupancy.ts";
import { expectedPrice, priceOf } from "./price.ts";

/**
 * What one machine costs, estimated from the ledger's rows alone: the service shows no bill. Hours are paid in whole, and in
 * advance, from the moment of the launch on: rather too early than too late. What the specification says of refunds is left
 * out: all of a launch that failed, or that we stopped before it ran, and the unused time of an interrupted machine. What
 * else is stopped, or fails after it ran, counts all hours that have begun: what is refunded then is not shown.
 */
export interface Bill {
  /** The deployment; the launch's place where its outcome is not known. */
  readonly of: string;
  /** Wall time of the first hour's beginning. */
  readonly from: number;
  /** How long it has been there, in ms. */
  readonly lasted: number;
  /** Undefined: it lives, or may live. */
  readonly ended: Instant | undefined;
  /** USD an hour; undefined where nobody knows it. */
  readonly price: Usd | undefined;
  readonly refund: "none" | "unused" | "all";
}

/**
 * A running machine's next hour is avoided if its stop begins so long before: time for a stop call that fails to be
 * repeated, and for the machine to leave.
 */
export function stopLead({ poll }: ProtocolSettings): number {
  return 5 * MINUTE_MS + 2 * poll;
}

/** Everything that this owner has paid for, or may be paying for; living machines as if it were so many ms later. */
export function billsOf(draft: Draft, owner: Owner, context: Context, ahead = 0): readonly Bill[] {
  return [
    ...claimedBy(draft, owner).map((row) => billOf(draft, row, context, ahead)),
    ...occupancy(draft, owner, context).intents.map((intent) => billOfIntent(draft, intent, context, ahead)),
  ];
}

export function billOf(draft: Draft, row: DeploymentRow, { now }: Context, ahead = 0): Bill {
  const intent = row.intent === null ? undefined : draft.intents.get(row.intent);
  const begun = beginning(row, intent, now);
  const ended = row.end === null ? undefined : (row.ended ?? now);
  return {
    of: row.id,
    from: begun.wall,
    lasted: ended ? lasted(begun, ended) : lasted(begun, now) + ahead,
    ended,
    price: priceOf(draft, row),
    refund: refundOf(row, ended ? lasted(begun, ended) : 0),
  };
}

/**
 * Only a launch that failed is refunded; what a machine gets back that ran and fails then is not shown. A row of an older
 * version does not say whether it ever ran: then it is a launch that failed if it is over within the hour that it reserved.
 */
function refundOf({ end, stop, young }: DeploymentRow, lasted: number): Bill["refund"] {
  if (end === "interrupted") return "unused";
  if (end === "failed" && (young ?? lasted < HOUR_MS)) return "all";
  const stoppedBefore = STATES_BEFORE_RUNNING.includes(stop?.acceptedIn ?? "");
  return (end === "failed" || end === "stopped") && stoppedBefore ? "all" : "none";
}

/** A launch whose outcome is not known is a machine until it is. */
function billOfIntent(draft: Draft, intent: IntentRow, { now }: Context, ahead: number): Bill {
  return {
    of: `the launch of ${place(intent)}`,
    from: intent.stamped.wall,
    lasted: lasted(intent.stamped, now) + ahead,
    ended: undefined,
    price: expectedPrice(draft, intent),
    refund: "none",
  };
}

/**
 * What the hours cost that begin in this stretch of wall time, in USD. 0 where the price is not known.
 * @internal Exported for its test.
 */
export function costOf(bill: Bill, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): Usd {
  const { price = ZERO_USD, refund } = bill;
  if (refund === "all") return ZERO_USD;
  const hours = hoursBegun(bill);
  const before = (moment: number): number =>
    Math.min(hours, Math.max(0, Math.ceil((moment - bill.from) / HOUR_MS)));
  const first = before(from);
  const end = before(to);
  const whole = price.times(end - first);
  if (refund === "none" || end !== hours || first === end) return whole;
  const unused = price.times(hours * HOUR_MS - bill.lasted).div(HOUR_MS);
  return whole.minus(unused.round(4, Big.roundDown));
}

export function sumOf(bills: readonly Bill[], from?: number, to?: number): Usd {
  return bills.reduce((sum, bill) => sum.plus(costOf(bill, from, to)), ZERO_USD);
}

/** Those that cost something which nobody knows: a sum of them all is the least that it can be. */
export function unpricedOf(bills: readonly Bill[]): readonly Bill[] {
  return bills.filter(({ price, refund }) => price === undefined && refund !== "all");
}

function hoursBegun({ lasted, ended }: Bill): number {
  return ended ? Math.max(1, Math.ceil(lasted / HOUR_MS)) : Math.floor(lasted / HOUR_MS) + 1;
}

/** The POST, or an earlier sight; what was adopted is the owner's from then on, whatever it cost before. */
function beginning(row: DeploymentRow, intent: IntentRow | undefined, now: Instant): Instant {
  if (!intent) return row.claimed ?? row.firstSeen;
  return lasted(intent.stamped, now) > lasted(row.firstSeen, now) ? intent.stamped : row.firstSeen;
}

/** A machine is paid for while this one sleeps and its monotonic clock stands still: the longer of both counts. */
function lasted(from: Instant, to: Instant): number {
  return Math.max(elapsed(from, to), to.wall - from.wall);
}
