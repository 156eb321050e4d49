import { HOUR_MS, MINUTE_MS } from "../../../ledger/instant.ts";
import type { WorkRow } from "../../../ledger/rows.ts";

/*
 * How many GPUs a fleet with work asks for, and what it pays for them at most: a function of what is left, of the time, and of
 * the prices that were seen. See docs/how/work.md.
 */

/** For machines that are refused or lost: this share of the time that the rest takes, and as long as it may take until they run. */
const MARGIN_SHARE = 0.1;
const MARGIN_MS = 30 * MINUTE_MS;
/** How far the work may be behind a straight line to its end, as a share of all of it. */
const MOST_BEHIND = 0.25;
/** Prices of a week, one an hour, and as many as it takes to go by them. */
const MOST_PRICES = 7 * 24;
const LEAST_PRICES = 6;
/** How much dearer than what is launched a machine may be that runs. */
export const KEPT_UP_TO = 1.1;

export interface WorkState {
  /** GPUs at a time. */
  readonly most: number;
  /** Of one GPU, in ms: all of the work, and what is done of it. */
  readonly goal: number;
  readonly done: number;
  /** Wall times in ms. */
  readonly begun: number;
  readonly by: number;
  readonly now: number;
}

/** GPUs at a price, in USD an hour of one. */
export interface Supply {
  readonly price: number;
  /** `Infinity` where no limit is known. */
  readonly gpus: number;
}

/** What can be had now and what runs; undefined: nobody looked. */
export type Supplies = { readonly offered: readonly Supply[]; readonly own: readonly Supply[] } | undefined;

type Asked = Pick<WorkRow, "gpus" | "ceiling" | "late" | "over">;

/** When what is left takes all GPUs for all of the time, as wall time in ms. */
export function noReturnAt({ most, goal, done, by }: WorkState): number {
  return by - MARGIN_MS - ((goal - done) / most) * (1 + MARGIN_SHARE);
}

/** GPUs that finish the work in time if they run evenly from now on. */
export function evenGpus({ goal, done, by, now }: WorkState): number {
  return (goal - done) / Math.max(1, by - now);
}

export function nextAsked(before: WorkRow, state: WorkState, supplies: Supplies): Asked {
  const { most, goal, done, by, now } = state;
  if (done >= goal) return { gpus: 0, over: "done" };
  if (now >= by) return { gpus: 0, over: "missed" };
  if (before.late || now >= noReturnAt(state)) return { gpus: most, late: true };
  const even = Math.min(most, Math.ceil(evenGpus(state)));
  const good = goodPrice(before.prices?.of ?? [], state);
  // What it has of that stays, as to finish earlier costs no more at the same price.
  if (good === undefined) return { gpus: Math.max(even, before.ceiling === undefined ? before.gpus : 0) };
  const cheap = supplies ? Math.min(most, cheapGpus(supplies, good)) : before.gpus;
  return isBehind(state) ? { gpus: Math.max(even, cheap) } : { gpus: cheap, ceiling: good };
}

/** The price that the cheapest hours kept to, as many of them as the work needs of those that are left; undefined: too few are known. */
function goodPrice(prices: readonly number[], { most, goal, done, by, now }: WorkState): number | undefined {
  if (prices.length < LEAST_PRICES) return undefined;
  const share = (goal - done) / (most * Math.max(1, by - now - MARGIN_MS));
  const sorted = [...prices].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.min(sorted.length, Math.ceil(share * sorted.length)) - 1)];
}

function cheapGpus({ offered, own }: NonNullable<Supplies>, good: number): number {
  const upTo = (supplies: readonly Supply[], price: number): number =>
    supplies.reduce((sum, each) => sum + (each.price <= price ? each.gpus : 0), 0);
  return upTo(own, good * KEPT_UP_TO) + upTo(offered, good);
}

function isBehind({ goal, done, begun, by, now }: WorkState): boolean {
  const line = (goal * (now - begun)) / Math.max(1, by - begun);
  return done < line - MOST_BEHIND * goal;
}

/** The prices that were seen, with one of this hour where it has none yet. */
export function nextPrices(
  before: WorkRow["prices"],
  { most, now }: WorkState,
  supplies: Supplies,
): WorkRow["prices"] {
  if (!supplies || !isPriceDue(before, now)) return before;
  const price = meanPrice([...supplies.own, ...supplies.offered], most);
  if (price === undefined) return before;
  return { at: now, of: [...(before?.of ?? []), price].slice(-MOST_PRICES) };
}

export function isPriceDue(prices: WorkRow["prices"], now: number): boolean {
  return !prices || now >= prices.at + HOUR_MS || now < prices.at;
}

/** USD an hour of one GPU of the cheapest `most`, or of as many as there are. */
function meanPrice(supplies: readonly Supply[], most: number): number | undefined {
  let [left, cost] = [most, 0];
  for (const { price, gpus } of [...supplies].sort((one, other) => one.price - other.price)) {
    const taken = Math.min(left, gpus);
    [left, cost] = [left - taken, cost + taken * price];
  }
  return left === most ? undefined : Math.round((cost / (most - left)) * 10_000) / 10_000;
}
