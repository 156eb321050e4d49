import Big from "big.js";
import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { livingOf } from "../../../launch/facts/occupancy.ts";
import { doubtsOf, hourOf } from "../../../launch/money/price.ts";
import { billsOf, countedBy } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, WorkRow } from "../../../ledger/rows.ts";
import { amountText, type Usd } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { gpusAre, gpusText, minuteText } from "../../fleet/text/text.ts";
import { parseWish } from "../../fleet/wish/wish.ts";
import { allowed } from "../choices/options.ts";
import { knownOffers, knownWish } from "../count/known-prices.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import {
  evenGpus,
  isPriceDue,
  KEPT_UP_TO,
  nextAsked,
  nextPrices,
  noReturnAt,
  type Supplies,
  type WorkState,
} from "./work-size.ts";
import { nextCounted, workedMs } from "./worked.ts";

/* The work of a fleet, in the ledger: what is asked for until the next look, and what people are told of it. */

/** Where the work of a fleet is; undefined: it has none. */
export function workState(draft: Draft, fleet: FleetRow, context: Context): WorkState | undefined {
  const { work, gpus: most } = parseWish(fleet.wish);
  if (!work) return undefined;
  const now = context.now.wall;
  const begun = fleet.work?.since.wall ?? now;
  const goal = work.gpuHours * HOUR_MS;
  return { most, goal, done: workedMs(draft, fleet, context), begun, by: Date.parse(work.by), now };
}

/** Stores how many GPUs are asked for from now on. */
export function storeWork(
  draft: Draft,
  row: FleetRow,
  offers: readonly Offer[] | undefined,
  context: Context,
): void {
  const before: WorkRow = row.work ?? { since: context.now, gpus: 0 };
  const fleet: FleetRow = { ...row, work: before };
  const state = workState(draft, fleet, context);
  if (!state || row.removed) return;
  const supplies = suppliesOf(draft, fleet, offers, context);
  const prices = nextPrices(before.prices, state, supplies);
  const { since, fell } = before;
  const asked = nextAsked({ ...before, ...(prices && { prices }) }, state, supplies);
  const less = asked.gpus < before.gpus ? context.now : fell;
  const counted = nextCounted(before, asked, state.done, context);
  const work: WorkRow = {
    ...{ since, ...(less && { fell: less }), ...(counted && { counted }), ...(prices && { prices }) },
    ...asked,
  };
  if (row.work && JSON.stringify(work) === JSON.stringify(before)) return;
  draft.putFleet({ ...fleet, work });
  const { over } = asked;
  if (!over || over === before.over) return;
  const kind = over === "done" ? "workDone" : "workMissed";
  note(draft, context, kind, `${row.name}: ${overText(state, over)}`, { owner: fleetOwner(row.name) });
}

/** True if offers are worth a request for it. */
export function needsPrices({ wish, work }: FleetRow, { now }: Context): boolean {
  const { work: asked, gpus } = parseWish(wish);
  if (!asked || work?.over) return false;
  return !work || work.gpus < gpus || isPriceDue(work.prices, now.wall);
}

/** The GPUs that its declaration allows, at their prices. What nobody knows the price of is in neither. */
function suppliesOf(
  draft: Draft,
  fleet: FleetRow,
  read: readonly Offer[] | undefined,
  context: Context,
): Supplies {
  const doubts = doubtsOf(draft, context.wire.profileHash);
  const wish = knownWish(doubts, parseWish(fleet.wish));
  if (!read && !wish.candidates) return undefined;
  const offered = allowed(wish, knownOffers(doubts, read)).flatMap(({ pricePerHour, gpus, stock }) =>
    pricePerHour === undefined
      ? []
      : [{ price: Number(pricePerHour) / gpus, gpus: gpus * (stock ?? Number.POSITIVE_INFINITY) }],
  );
  const own = livingOf(draft, fleetOwner(fleet.name)).flatMap((row) => {
    const price = gpuPrice(draft, row);
    return row.stop === null && price !== undefined ? [{ price, gpus: gpusOf(draft, row) }] : [];
  });
  return { offered, own };
}

/** USD an hour of one of its GPUs; undefined: not known. */
function gpuPrice(draft: Draft, row: DeploymentRow): number | undefined {
  const [price, gpus] = [hourOf(draft, row), gpusOf(draft, row)];
  return price && gpus > 0 ? Number(price) / gpus : undefined;
}

/** True if it costs more than its fleet's work waits for. */
export function isTooDear(draft: Draft, { work }: FleetRow, row: DeploymentRow): boolean {
  const price = gpuPrice(draft, row);
  return work?.ceiling !== undefined && price !== undefined && price > work.ceiling * KEPT_UP_TO;
}

/** How far it is, for people. In steps of 5%: a text that changes is written at each tick. */
export function workTexts(draft: Draft, fleet: FleetRow, context: Context): readonly string[] {
  const state = workState(draft, fleet, context);
  if (!state) return [];
  const { work } = fleet;
  const { most, goal, by, now } = state;
  if (work?.over) return [overText(state, work.over)];
  const done = Math.floor((20 * state.done) / goal) / 20;
  const known = { ...state, done: done * goal };
  const left = goal - known.done;
  const currency = draft.account.currency;
  const cost = work?.prices?.of.at(-1);
  const rest = cost === undefined ? undefined : new Big(cost).times(left).div(HOUR_MS);
  const costs =
    cost === undefined || rest === undefined
      ? ""
      : `; ${gpusText(most)} to be had now cost ${amountText(cost.toFixed(4), currency)} a GPU and hour, so the rest about ${amountText(rest.toFixed(2), currency)}`;
  const isLost = left > most * (by - now);
  return [
    `work: ${(done * 100).toFixed(0)}% of ${goal / HOUR_MS} GPU-hours are done, and ${hoursText(left)} are left until ${minuteText(by)}${costs}`,
    isLost
      ? `work: it cannot be done by then any more, as ${gpusText(most)} make less than that in the time that is left: a later work.by or more gpus would help. What can be done is done`
      : work?.late
        ? "work: past its point of no return, so all of its GPUs are wanted at any price that the limits allow"
        : `work: there is time enough for it; its point of no return is ${minuteText(noReturnAt(known))}: from then on all ${most} GPUs are wanted at any price that the limits allow`,
    ...totalText(draft, fleet, rest, context),
    ...(isLost || work?.late || work === undefined ? [] : [waitText(work, known, currency)]),
  ];
}

/** That the total ends it before it is done, at what the rest costs now. */
function totalText(
  draft: Draft,
  { name, wish }: FleetRow,
  rest: Usd | undefined,
  context: Context,
): readonly string[] {
  const { total, totalOf } = parseWish(wish).budget;
  const owner = fleetOwner(name);
  if (total === undefined || rest === undefined) return [];
  const left = new Big(total).minus(countedBy(draft, owner, billsOf(draft, owner, context), totalOf));
  if (left.gte(rest)) return [];
  const { currency } = draft.account;
  return [
    `work: budget.total, ${amountText(total, currency)}, is spent before it is done, at what the rest costs now: a higher total would help`,
  ];
}

function waitText({ ceiling, gpus }: WorkRow, state: WorkState, currency: string | undefined): string {
  if (ceiling === undefined)
    return `work: ${gpusAre(Math.max(gpus, Math.ceil(evenGpus(state))))} wanted now, as it goes on evenly`;
  const at = `at most ${amountText(ceiling.toFixed(4), currency)} a GPU and hour, which the cheapest hours that it needs kept to`;
  return gpus === 0 ? `work: it waits for GPUs at ${at}` : `work: ${gpusAre(gpus)} wanted now, for ${at}`;
}

function overText({ goal, done, by }: WorkState, over: "done" | "missed"): string {
  const all = `${goal / HOUR_MS} GPU-hours`;
  return over === "done"
    ? `its work is done: ${all}. For more, write more work.gpuHours, or another fleet`
    : `its work was not done by ${minuteText(by)}: ${hoursText(done)} of ${all} are. A later work.by goes on from there`;
}

function hoursText(ms: number): string {
  return `${Math.floor((100 * ms) / HOUR_MS) / 100} GPU-hours`;
}
