import { planHolds } from "../../../launch/admit/holds.ts";
import { type Hold, hold, inCurrency } from "../../../launch/facts/hold.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { amountText, usdText, ZERO_USD } from "../../../service/contract/money.ts";
import { type RemainingBudget, remainingBudgetOf } from "../../fleet/money/remaining-budget.ts";
import { atLast, untilLackedFor } from "../../fleet/phase/lacking.ts";
import { andMore, gpusAre, gpusText } from "../../fleet/text/text.ts";
import { limitsOf, type Wish } from "../../fleet/wish/wish.ts";
import { noRoom, wrongSizes } from "../choices/impossible.ts";
import { unofferedTexts } from "../choices/offered-models.ts";
import { type Choice, choose, pricePerWork, withinCeiling } from "../choices/options.ts";
import { type Growth, growthOf, localityText } from "../choices/placement.ts";
import { weighSteadier } from "../choices/steadier.ts";
import { isBeforeTheFirst } from "../holds/all-or-nothing.ts";
import { FLEET_RULES } from "../holds/fleet-holds.ts";
import {
  type Bounds,
  byMoney,
  cheapestMix,
  locality,
  type Option,
  obstacle,
  startOfMix,
} from "../mix/mix.ts";
import { firstEnd, type PlanningInputs } from "../told/fleet-plan.ts";
import type { Move, Planned, Situation } from "./move.ts";

/** A fleet that lacks GPUs launches the cheapest mix that can be had, or says why nothing or not all is launched. */
export const launch: Move = {
  alone: false,
  plan: (of) => {
    const { wish, counted, inputs, context } = of;
    if (counted.missing <= 0) return undefined;
    const holds = fleetHolds(of);
    const unread = wish.select && inputs.unreadOffers !== undefined ? [inputs.unreadOffers] : [];
    // Of a part that is not chosen it is worth knowing what its own service would say.
    const isUnchosen = holds.length > 0 && holds.every(({ kind }) => kind === "choosing");
    const own = isUnchosen ? (chosen(of).holds ?? []) : [];
    return {
      ...(holds.length > 0 ? { holds: [...holds, ...own], wake: firstEnd(holds, context) } : chosen(of)),
      notes: [...unread, ...unofferedTexts(wish.select, inputs.offers)],
    };
  },
};

/** What holds all of its launches. */
export function fleetHolds({ draft, fleet, wish, context }: Situation): readonly Hold[] {
  const owner = fleetOwner(fleet.name);
  return planHolds(draft, { owner, limits: limitsOf(wish), rules: FLEET_RULES }, context);
}

function chosen(of: Situation): Planned {
  const { draft, fleet, wish, counted, inputs, context } = of;
  const wait = (holds: readonly Hold[]): Planned => ({
    holds,
    wake: firstEnd(holds, context),
  });
  const blind = whyBlind(wish, inputs);
  if (blind) return wait([blind]);
  const { live, stopping, missing } = counted;
  // A machine that is stopping is still paid for, and takes room; only surge makes up for it.
  const room = wish.gpus + wish.overshoot + wish.surge - live - stopping;
  if (room <= 0) return wait([hold("stopping", { gpus: gpusAre(stopping) })]);
  const gpus = Math.min(missing, room);
  const otherSize = whyOtherSize(of);
  const slack = otherSize ? 0 : Math.min(missing + wish.overshoot, room) - gpus;
  const owner = fleetOwner(fleet.name);
  const choice = choose(draft, owner, wish, inputs.offers, context);
  if (choice.hold) return wait([choice.hold]);
  const growth = growthOf(draft, wish, counted);
  if (growth.hold) return wait([growth.hold]);
  const { ready, avoided, waiting, soldOut, blocks, unfit } = atHome(choice, growth);
  const budgetLeft = remainingBudgetOf(draft, owner, wish, context);
  const bounds: Bounds = { gpus, slack, cost: budgetLeft?.usd, spread: growth.spread };
  const steadier = weighSteadier([...ready, ...avoided], wish, draft, context.now);
  const now = steadier.options;
  const all = [...now, ...waiting.map(({ option }) => option), ...soldOut];
  const whole = cheapestMix(now, bounds);
  const mix = whole ?? startOfMix(now, all, bounds);
  const launches = mix.map((weighed) => {
    const option = steadier.plain.get(weighed) ?? weighed;
    const better = steadier.why(option);
    const steady = better === undefined ? "" : `; ${better}`;
    return {
      option,
      why: `${missing} of ${gpusText(wish.gpus)} ${missing === 1 ? "is" : "are"} missing; ${preference(option, wish, draft.account.currency)}${steady}`,
    };
  });
  const together = isBeforeTheFirst(fleet, wish) && (!whole || gpus < missing);
  const waits = [...waiting, ...blocks].map((each) => each.hold);
  if (whole && !together) return { launches, holds: waits };
  const dearer = whyPatient(of);
  const other = otherSize && !whole && now.some((option) => mayFill(option, of)) ? [otherSize] : [];
  const patient = [...(dearer ? [dearer] : []), ...other];
  const partial = stopping > 0 ? [hold("partlyStopping", { gpus: gpusAre(stopping), room })] : [];
  const short =
    all.length === 0 || partial.length > 0 ? [] : whyShort(all, mix, bounds, wish, growth, budgetLeft);
  const stays = growth.home === undefined ? [] : [hold("apart", { home: localityText(growth.home) })];
  return {
    launches: together ? [] : launches,
    holds: [
      ...patient,
      // What fits later on is said already.
      ...(dearer ? [] : unfit),
      ...waits,
      ...partial,
      ...(other.length > 0 ? short.filter(({ kind }) => kind !== "sizes") : short),
      ...stays,
      ...(together ? [hold("whole", {})] : []),
    ],
    wake: firstEnd([...patient, ...waits], context),
  };
}

/** What fits at the price that is paid later, and not at this one, is waited for. Asked by whoever lacks GPUs. */
export function whyPatient({
  draft,
  fleet,
  wish,
  inputs: { offers },
  context,
}: Pick<Situation, "draft" | "fleet" | "wish" | "inputs" | "context">): Hold | undefined {
  const { patience, maxPricePerGpuHour: price = "" } = wish.select ?? {};
  const left = patience && untilLackedFor(patience.for, fleet, context);
  if (!patience || !left) return undefined;
  if (withinCeiling(atLast(wish), offers).length === withinCeiling(wish, offers).length) return undefined;
  const { maxPricePerGpuHour: dearer } = patience;
  const until = context.now.wall + left;
  const held =
    dearer === undefined ? hold("usual", { price }, until) : hold("patience", { price, dearer }, until);
  return inCurrency(held, draft.account);
}

/** What makes the count exactly is waited for. */
function whyOtherSize({ fleet, wish: { otherSizes }, counted, context }: Situation): Hold | undefined {
  const left = otherSizes && untilLackedFor(otherSizes.after, fleet, context);
  return left ? hold("otherSizes", { gpus: counted.missing }, context.now.wall + left) : undefined;
}

/** It is larger than what is missing, and overshoot has room for the rest, or surge until machines that are there go for it. */
function mayFill({ gpus }: Option, { wish, counted }: Situation): boolean {
  const more = gpus - counted.missing;
  return more > 0 && more <= Math.max(wish.overshoot, Math.min(wish.surge, counted.there));
}

/** Why nothing can be chosen at all. */
export function whyBlind(
  { select }: Pick<Wish, "select">,
  { can, offersProblem }: Pick<PlanningInputs, "can" | "offersProblem">,
): Hold | undefined {
  if (!can.launch) {
    const why =
      'nothing can be launched: the profile has no part "launch", and the specification does not show what a launch sends';
    return hold("blind", { why });
  }
  if (!select) return undefined;
  if (!can.offers) {
    const why =
      'select chooses among the offers, and the profile has no part "offers": add it, or name candidates in the fleet instead';
    return hold("blind", { why });
  }
  return offersProblem === undefined
    ? undefined
    : hold("blind", { why: `the offers cannot be read: ${offersProblem}` });
}

/** Leaves a fleet that stays together only the options where it is. */
export function atHome(choice: Choice, { home }: Growth): Choice {
  if (home === undefined) return choice;
  const isHere = (option: Option): boolean => locality(option) === home;
  const here = {
    ready: choice.ready.filter(isHere),
    avoided: choice.avoided.filter(isHere),
    waiting: choice.waiting.filter(({ option }) => isHere(option)),
    soldOut: choice.soldOut.filter(isHere),
    blocks: choice.blocks.filter(({ option }) => isHere(option)),
  };
  const none = Object.values(here).every((options) => options.length === 0);
  const nowhere = hold("unfit", { why: `nothing that it may launch is in ${localityText(home)}` });
  return { ...choice, ...here, unfit: none && choice.unfit.length === 0 ? [nowhere] : choice.unfit };
}

/** Which bound would leave the fleet short even if nothing cooled. */
function whyShort(
  all: readonly Option[],
  mix: readonly Option[],
  bounds: Bounds,
  wish: Wish,
  { home }: Growth,
  budgetLeft: RemainingBudget | undefined,
): readonly Hold[] {
  const { gpus, slack } = bounds;
  const got = mix.reduce((sum, option) => sum + option.gpus, 0);
  switch (obstacle(all, bounds)) {
    case undefined:
      return [];
    case "sizes":
      return [hold("sizes", { why: wrongSizes(all, gpus, slack) })];
    case "spread":
      return [
        hold("sizes", { why: noRoom(wish, gpus, home === undefined ? undefined : localityText(home)) }),
      ];
    case "stock":
      return [got === 0 ? hold("soldOut", { gpus }) : hold("partlySoldOut", { got, gpus })];
    case "cost":
      return [...unpriced(all), ...overBudgetLeft(all, got, bounds, budgetLeft)];
  }
}

function unpriced(options: readonly Option[]): readonly Hold[] {
  const places = options.filter(({ pricePerHour }) => pricePerHour === undefined).map(combinationText);
  if (places.length === 0) return [];
  return [hold("unpriced", { of: andMore(places) })];
}

function overBudgetLeft(
  options: readonly Option[],
  got: number,
  { cost: _, ...bounds }: Bounds,
  budgetLeft: RemainingBudget | undefined,
): readonly Hold[] {
  const mix = cheapestMix(byMoney(options), bounds);
  const costs = mix?.map(({ pricePerHour }) => pricePerHour ?? ZERO_USD) ?? [];
  if (!budgetLeft || !mix || mix.some(({ pricePerHour }) => pricePerHour === undefined)) return [];
  const sum = costs.reduce((total, each) => total.plus(each), ZERO_USD);
  const missing = bounds.gpus === 1 ? "the missing GPU" : `any of the ${bounds.gpus} missing GPUs`;
  const pays =
    got === 0 ? `does not pay for ${missing}` : `pays for ${got} of the ${bounds.gpus} missing GPUs`;
  const why = `${budgetLeft.why} ${pays}: the cheapest mix of them costs ${usdText(sum)} an hour`;
  return [hold("tooDear", { why })];
}

function preference(option: Option, wish: Wish, currency: string | undefined): string {
  const what = wish.candidates ? "candidates" : "offers";
  const price =
    option.pricePerHour === undefined
      ? ""
      : ` (${amountText(option.pricePerHour, currency)} an hour a machine${byWork(option, wish)})`;
  const { avoided = 0 } = option;
  if (avoided > 0 && Number.isFinite(avoided) && option.pricePerHour !== undefined)
    return `${localityText(locality(option))} just lost machines, but no others of the ${what} can be had for up to ${avoided}% more${price}`;
  if (avoided > 0)
    return `${localityText(locality(option))} just lost machines or gave a sick one, but no others of the ${what} can be had${price}`;
  return price === ""
    ? `${combinationText(option)} is the first candidate that can be had`
    : `${combinationText(option)} is in the cheapest mix of the ${what} that can be had${price}`;
}

/** What decided, where prices are compared by work. */
function byWork(option: Option, { select }: Wish): string {
  if (!select?.worth) return "";
  const { worth = "1" } = option;
  return `, ${usdText(pricePerWork(option).toFixed(4))} a GPU by work: a worth of ${worth}`;
}
