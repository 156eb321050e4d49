import Big from "big.js";
import { planHolds } from "../../../launch/admit/holds.ts";
import { HOUR_MS, MINUTE_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, ImprovingRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { parsePrice, usdText, ZERO_USD } from "../../../service/contract/money.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { stopAhead } from "../../fleet/before-stop-wish.ts";
import { type Improve, leastSaving } from "../../fleet/improve-wish.ts";
import { remainingBudgetOf } from "../../fleet/remaining-budget.ts";
import { toRenew } from "../../fleet/renewal-marks.ts";
import { andMore, gpusText } from "../../fleet/text.ts";
import { limitsOf } from "../../fleet/wish.ts";
import { type Better, betterMachines, type Leavable } from "../better-machines.ts";
import { wouldChurn } from "../churn.ts";
import { gpusOf } from "../count.ts";
import { FLEET_RULES } from "../fleet-holds.ts";
import { cameByMove, nextMove, wasLeft } from "../improving.ts";
import type { Option } from "../mix.ts";
import { choose } from "../options.ts";
import { growthOf } from "../placement.ts";
import { isReady } from "../readiness.ts";
import { paidLeft, stoppable } from "../scale-down.ts";
import { atHome } from "./launch.ts";
import type { Move, Planned, Situation } from "./move.ts";

/** A move begins no earlier before the end of the time that is paid for: the rest of it would be lost. */
const LEAD_MS = 15 * MINUTE_MS;

/** Begins to replace machines by cheaper ones, in a fleet that has all that it asks for and where nothing starts or stops. */
export const improve: Move = {
  alone: false,
  plan: (of) => {
    const { draft, fleet, wish, counted, inputs, context } = of;
    if (!wish.improve || !isAtRest(of) || !inputs.can.launch || !inputs.can.stop) return undefined;
    const next = nextMove(fleet, wish.improve, context);
    if (next !== undefined) return undefined;
    const owner = fleetOwner(fleet.name);
    if (planHolds(draft, { owner, limits: limitsOf(wish), rules: FLEET_RULES }, context).length > 0)
      return undefined;
    const growth = growthOf(draft, wish, counted);
    const choice = choose(draft, owner, wish, inputs.offers, context);
    if (choice.hold || growth.hold) return undefined;
    const options = atHome(choice, growth).ready.filter(
      (option) => option.pricePerHour !== undefined && !wasLeft(fleet, option, context),
    );
    const better = betterMachines(leavable(of), options, {
      restartHours: milliseconds(wish.improve.restart) / HOUR_MS,
      least: least(wish.improve),
      spread: growth.spread,
    });
    return better ? begin(of, better) : { notes: noRoomAhead(wish, options) };
  },
};

/** A surge into which no move fits is one that somebody has got wrong. */
function noRoomAhead({ surge }: Situation["wish"], options: readonly Option[]): readonly string[] {
  const least = Math.min(...options.map(({ gpus }) => gpus));
  if (surge === 0 || !Number.isFinite(least) || least <= surge) return [];
  return [
    `improve: no machine that can be had fits into surge, which is ${surge}: the smallest has ${gpusText(least)}, so old machines are stopped before new ones are launched`,
  ];
}

/** Nothing starts, stops or is missing, and no machine is to be replaced for another reason. */
function isAtRest({ draft, fleet, counted }: Situation): boolean {
  const { missing, starting, stopping } = counted;
  return (
    !fleet.part && missing <= 0 && starting === 0 && stopping === 0 && toRenew(draft, fleet.name).length === 0
  );
}

function least(improve: Improve): (leaves: number) => number {
  return (leaves) => Number(leastSaving(improve, new Big(leaves)));
}

/** The machines that may be left now: certainly the fleet's, launched by it, of known price, and near the end of what is paid. */
function leavable({ draft, fleet, wish, counted, context }: Situation): readonly Leavable[] {
  return counted.machines.flatMap((row) => {
    const price = priceNow(row);
    const left = paidLeft(draft, row, context);
    const isFree =
      stoppable(row, context.now) &&
      row.intent !== null &&
      isReady(row, wish) &&
      !cameByMove(fleet, row, context);
    if (!price || !isFree || left > LEAD_MS + stopAhead(wish) || wouldChurn(draft, fleet, row, context))
      return [];
    const worth = Number(draft.intents.ever(row.intent ?? "")?.worth ?? 1);
    const wasted = (Number(price) * left) / HOUR_MS;
    return [{ id: row.id, gpus: gpusOf(draft, row), price: Number(price) / worth, wasted }];
  });
}

/** What its record shows that it costs now: prices may float. */
function priceNow({ pricePerHour }: DeploymentRow) {
  return parsePrice(pricePerHour);
}

function begin(of: Situation, { old, mix, gpus, saves }: Better): Planned {
  const { draft, wish } = of;
  const rows = old.flatMap(({ id }) => draft.deployments.ever(id) ?? []);
  const ids = andMore(rows.map(({ id }) => id));
  const why = `${andMore([...new Set(mix.map(combinationText))])} saves ${usdText(saves.toFixed(4))} ${draft.account.currency ?? "USD"} an hour in the place of ${ids}`;
  const isAhead = gpus <= wish.surge && isPaid(of, mix, ZERO_USD);
  const freed = rows.reduce((sum, row) => sum.plus(priceNow(row) ?? 0), ZERO_USD);
  if (!isAhead && !isPaid(of, mix, freed)) return {};
  const begins: Omit<ImprovingRow, "begun"> = {
    why,
    gpus,
    ahead: isAhead ? gpus : 0,
    most: mix.reduce((sum, { pricePerHour }) => sum.plus(pricePerHour ?? 0), ZERO_USD).toFixed(),
    left: rows.flatMap((row) => {
      const intent = draft.intents.ever(row.intent ?? "");
      const { offer, provider, location } = intent ?? row;
      if (offer === null || provider === null || location === null) return [];
      return [{ id: row.id, offer, provider, location, pricePerHour: (priceNow(row) ?? ZERO_USD).toFixed() }];
    }),
  };
  if (isAhead) return { move: { begins }, launches: mix.map((option) => ({ option, why })) };
  return { move: { begins }, stops: rows.map(({ id }) => ({ id, why })) };
}

/** Whether the limits on money pay for these, once `freed` an hour is free. */
function isPaid({ draft, fleet, wish, context }: Situation, mix: readonly Option[], freed: Big): boolean {
  const owner = fleetOwner(fleet.name);
  const costs = mix.reduce((sum, { pricePerHour }) => sum.plus(pricePerHour ?? 0), ZERO_USD);
  const left = remainingBudgetOf(draft, owner, wish, context);
  return left === undefined || costs.lte(left.usd.plus(freed));
}
