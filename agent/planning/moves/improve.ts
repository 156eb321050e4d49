import Big from "big.js";
import type { Draft } from "../../../ledger/draft.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow, ImprovingRow } from "../../../ledger/rows.ts";
import { combinationKey, combinationText } from "../../../service/contract/contract.ts";
import { parsePrice, USD, type Usd, usdText, ZERO_USD } from "../../../service/contract/money.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { opensAt, opensText } from "../../fleet/clock/windows.ts";
import { untilDeadline } from "../../fleet/phase/fleet-phase.ts";
import { untilAskEnds } from "../../fleet/size/person-ask.ts";
import { andMore } from "../../fleet/text/text.ts";
import { stopAhead } from "../../fleet/wish/before-stop-wish.ts";
import { type Improve, leastSaving } from "../../fleet/wish/improve-wish.ts";
import { askedAt } from "../../fleet/wish/schedule.ts";
import {
  type Better,
  betterMachines,
  HORIZON_HOURS,
  type Leavable,
  OVERLAP_HOURS,
} from "../choices/better-machines.ts";
import { wouldChurn } from "../count/churn.ts";
import { cameByMove, gaveUpMoving, nextMove, wasLeft } from "../count/improving.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import { idleMs } from "../machines/idle.ts";
import { LEAD_MS, mayBeStopped, paidLeft } from "../machines/scale-down.ts";
import type { Option } from "../mix/mix.ts";
import { isSettled, launchable, withinBuffer } from "./before-replacing.ts";
import { costOf, isPaid } from "./is-paid.ts";
import { fleetHolds } from "./launch.ts";
import type { Move, Planned, Situation } from "./move.ts";

/** Begins to replace machines by cheaper ones, in a fleet that has all that it asks for and where nothing starts or stops. */
export const improve: Move = {
  alone: false,
  plan: (of) => {
    const { fleet, wish, counted, inputs, context } = of;
    if (!wish.improve || !inputs.can.launch || !inputs.can.stop || !isAtRest(of) || endsSoon(of))
      return undefined;
    if (nextMove(fleet, wish.improve, context) !== undefined) return undefined;
    const choice = fleetHolds(of).length > 0 ? undefined : launchable(of);
    if (!choice) return undefined;
    const options = choice.ready.filter(
      (option) => option.pricePerHour !== undefined && !wasLeft(fleet, option, context),
    );
    const { now } = context;
    const opens = wish.improve.within ? opensAt(wish.improve.within, now.wall) : now.wall;
    if (opens === undefined) return undefined;
    const isWhole = wish.allOrNothing !== undefined;
    if (isWhole && gaveUpMoving(fleet, context))
      return {
        notes: ["improve: a move of the whole fleet was given up, and none begins within a day of it"],
      };
    const machines = leavable(of, opens > now.wall);
    if (isWhole && machines.length < counted.machines.length) return undefined;
    const terms = {
      restartHours: milliseconds(wish.improve.restart) / HOUR_MS,
      least: least(wish.improve),
      spread: choice.spread,
      atOnce: wish.surge,
      isWhole,
    };
    const found = betterMachines(machines, options, terms);
    const old = counted.machines.filter(({ id }) => found?.old.some((each) => each.id === id));
    const better =
      found && withinBuffer(of, old, found.mix).length < found.mix.length
        ? betterMachines(machines, withinBuffer(of, old, options), terms)
        : found;
    return better && inItsWindow(begin(of, better), wish.improve, opens, now.wall);
  },
};

/** A move outside of the fleet's windows is told, and begins in the next one. */
function inItsWindow(planned: Planned, { within }: Improve, opens: number, now: number): Planned {
  const why = planned.move?.begins?.why;
  if (!within || opens <= now || why === undefined) return planned;
  return { notes: [`improve: ${why}, and moves begin ${opensText(within, opens)}`] };
}

/** It has what it asks for, and all of it works. */
function isAtRest(of: Situation): boolean {
  const { missing, there } = of.counted;
  const { fleet, wish } = of;
  if (wish.allOrNothing && fleet.attempt?.state !== "whole") return false;
  return !fleet.part && missing <= 0 && there <= wish.gpus + wish.overshoot && isSettled(of);
}

/** Within the time in which a move has to pay, the fleet ends or wants less. */
function endsSoon(of: Situation): boolean {
  const { wish, context } = of;
  const { now } = context;
  const horizon = HORIZON_HOURS * HOUR_MS;
  if ((untilDeadline(wish, context) ?? Number.POSITIVE_INFINITY) < horizon + stopAhead(wish)) return true;
  const asked = untilAskEnds(of.fleet, context);
  if (asked !== undefined && asked < horizon) return true;
  // What a metric asks for then, nobody knows.
  if (wish.metric) return wish.gpus > wish.metric.min;
  const { schedule } = wish;
  if (!schedule) return false;
  let { gpus, next } = askedAt(schedule, now.wall);
  while (next && next.at < now.wall + horizon) {
    if (next.gpus < gpus) return true;
    ({ gpus, next } = askedAt(schedule, next.at));
  }
  return false;
}

export function least(improve: Improve): (leaves: number) => number {
  return (leaves) => Number(leastSaving(improve, new Big(leaves)));
}

/**
 * The machines that may be left now: certainly the fleet's, launched by it, of known price, and near the end of what is paid. How
 * much of that is left at a later moment, nobody knows now.
 */
function leavable(of: Situation, isLater: boolean): readonly Leavable[] {
  const { draft, fleet, wish, counted, context } = of;
  const isNow = wish.allOrNothing ? isLeastPaid(of) : undefined;
  return counted.machines.flatMap((row) => {
    const price = priceNow(row);
    const left = isLater ? 0 : paidLeft(draft, row, context);
    const isFree =
      mayBeStopped(row, context.now) &&
      row.intent !== null &&
      !cameByMove(fleet, row, context) &&
      // It is about to be given back, maybe.
      (wish.idle === undefined || wish.idle.then === "tell" || idleMs(draft, row, context) === undefined);
    if (!price || !isFree || !(isNow ?? left <= LEAD_MS + stopAhead(wish))) return [];
    const worth = Number(draft.intents.ever(row.intent ?? "")?.worth ?? 1);
    // Until what is new is ready, another time may begin that is paid for.
    const later = wish.surge > 0 && !isLater ? paidLeft(draft, row, context, OVERLAP_HOURS * HOUR_MS) : 0;
    const wasted = (Number(price) * Math.max(left, later)) / HOUR_MS;
    return [{ id: row.id, gpus: gpusOf(draft, row), price: Number(price) / worth, wasted }];
  });
}

/** Machines that go together have no common end of what is paid. True where no later end of one of them would waste less of all. */
function isLeastPaid({ draft, wish, counted: { machines }, context }: Situation): boolean {
  const paid = (ahead: number): number =>
    machines.reduce((sum, row) => sum + Number(priceNow(row) ?? 0) * paidLeft(draft, row, context, ahead), 0);
  const waits = machines.map((row) => paidLeft(draft, row, context) - LEAD_MS - stopAhead(wish));
  return waits.every((wait) => wait <= 0 || paid(wait) >= paid(0));
}

/** What its record shows that it costs now, as prices may float. Where records show none, its row has what its launch expected. */
function priceNow({ pricePerHour }: DeploymentRow): Usd | undefined {
  return parsePrice(pricePerHour);
}

function begin(of: Situation, { old, mix, gpus, saves }: Better): Planned {
  const { draft, fleet, wish, context } = of;
  const rows = old.flatMap(({ id }) => draft.deployments.ever(id) ?? []);
  const left = leftRows(draft, rows);
  const freed = left.reduce((sum, { pricePerHour }) => sum.plus(pricePerHour), ZERO_USD);
  const costs = costOf(mix);
  if (!costs) return {};
  const isAhead = gpus <= wish.surge && isPaid(of, costs, ZERO_USD);
  if (isTheSame(left, mix)) return {};
  const byWork = wish.select?.worth ? ` (${usdText(saves.toFixed(4))} by work)` : "";
  const amount = `${usdText(freed.minus(costs).toFixed(4))} ${draft.account.currency ?? USD} an hour${byWork}`;
  const why = `${andMore([...new Set(mix.map(combinationText))])} saves ${amount} in the place of ${andMore(left.map(({ id }) => id))}`;
  if (!isAhead && (wish.allOrNothing || !isPaid(of, costs, freed)))
    return { notes: [`improve: ${why}, but the budget does not pay for what is new`] };
  if (wouldChurn(draft, fleet, rows, context))
    return {
      notes: [`improve: ${why}, but with that too much would be lost to machines that ended young (churn)`],
    };
  const move = { begins: { why, gpus, ahead: isAhead ? gpus : 0, most: costs.toFixed(), left } };
  if (isAhead) return { move, launches: mix.map((option) => ({ option, why })) };
  return { move, stops: rows.map(({ id }) => ({ id, why })) };
}

/** What a move leaves, as its row has it: machines without a launch or a price are not among them. */
export function leftRows(draft: Draft, rows: readonly DeploymentRow[]): ImprovingRow["left"] {
  return rows.flatMap((row) => {
    const [launched, price] = [draft.intents.ever(row.intent ?? ""), priceNow(row)];
    if (!launched || !price) return [];
    const { offer, provider, location } = launched;
    return [{ id: row.id, offer, provider, location, pricePerHour: price.toFixed() }];
  });
}

/** One that has another worth since it was launched is no better for that. */
function isTheSame(left: ImprovingRow["left"], mix: readonly Option[]): boolean {
  return left.some((row) =>
    mix.some(
      (option) =>
        combinationKey(option) === combinationKey(row) && option.pricePerHour?.gte(row.pricePerHour),
    ),
  );
}
