import { planHolds } from "../../launch/admit/holds.ts";
import { whyNotStopping } from "../../launch/ends/not-stopping.ts";
import { whyHeld } from "../../launch/ends/returned.ts";
import type { Context } from "../../launch/facts/context.ts";
import { livingOf, toBeStopped } from "../../launch/facts/occupancy.ts";
import { midnight } from "../../launch/money/budget.ts";
import { doubtsOf } from "../../launch/money/price.ts";
import { billsOf, paidBy, unpricedOf } from "../../launch/money/spend.ts";
import { neverShownText } from "../../launch/resolve/never-shown.ts";
import { whyProbed } from "../../launch/resolve/vanished.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { parseUsd, usdText } from "../../service/contract/money.ts";
import { fleetPhase, untilDeadline } from "../fleet/fleet-phase.ts";
import { pausedStopsText } from "../fleet/paused-stops.ts";
import { toRenew } from "../fleet/renewal-marks.ts";
import { andMore } from "../fleet/text.ts";
import type { Wish } from "../fleet/wish.ts";
import { isLimited, limitsOf, parseWish } from "../fleet/wish.ts";
import { dueText, timeLeft } from "./all-or-nothing.ts";
import { count, desiredGpus, whyUncounted } from "./count.ts";
import { doubtedGpusText } from "./doubted-gpus.ts";
import { FLEET_RULES } from "./fleet-holds.ts";
import type { FleetPlan, PlanningInputs } from "./fleet-plan.ts";
import { told } from "./fleet-plan.ts";
import { impossible } from "./impossible.ts";
import { initialAdoptionHold, untilSecondLook } from "./initial-adoption.ts";
import { knownOffers, knownWish } from "./known-prices.ts";
import { firstEnd, planLaunches } from "./plan-launches.ts";
import { planDrain, planGiveBack, planSurplus } from "./plan-stops.ts";
import { planRenewal } from "./renewal.ts";

export function plan(draft: Draft, inputs: PlanningInputs, context: Context): readonly FleetPlan[] {
  const known = { ...inputs, offers: knownOffers(doubtsOf(draft, context.wire.profileHash), inputs.offers) };
  return [...draft.fleets.values()].map((fleet) => {
    const planned = planFleet(draft, fleet, known, context);
    const texts = [...lackingText(draft, fleet, context), ...stuckText(draft, fleet, context)];
    return told({ ...planned, notes: [...planned.notes, ...texts] }, context);
  });
}

/** Machines that count though no list shows them. */
function lackingText(draft: Draft, { name }: FleetRow, context: Context): readonly string[] {
  const lacking = livingOf(draft, fleetOwner(name)).filter(({ missing }) => missing !== null);
  const why = lacking.some(({ lastSeen }) => lastSeen !== null) ? draft.account.vanished?.why : undefined;
  return [why, ...lacking.map((row) => neverShownText(row, context))].filter((text) => text !== undefined);
}

/** No number of calls and no answer: a text that changes is written at each tick. */
function stuckText(draft: Draft, { name }: FleetRow, context: Context): readonly string[] {
  const stuck = toBeStopped(draft, fleetOwner(name)).filter(
    (row) => whyNotStopping(draft, row, context) !== undefined,
  );
  if (stuck.length === 0) return [];
  const [does, costs] = stuck.length === 1 ? ["does", "costs"] : ["do", "cost"];
  return [
    `${andMore(stuck.map(({ id }) => id))} ${does} not stop, and ${costs} money: fleetkeeper status says what was sent and answered`,
  ];
}

/**
 * True if offers are worth a request. Some fleet chooses among them, or its budget needs the service's
 * prices; and it lacks machines, replaces some, or takes those that it finds at their prices.
 */
export function needsOffers(draft: Draft, context: Context): boolean {
  return [...draft.fleets.values()].some((fleet) => {
    if (fleetPhase(draft, fleet, context).kind !== "kept") return false;
    const wish = parseWish(fleet.wish);
    if (wish.candidates && !isLimited(wish)) return false;
    return fleet.born
      ? count(draft, fleet, context).missing > 0 || toRenew(draft, fleet.name).length > 0
      : draft.account.tenure === "exclusive";
  });
}

function planFleet(
  draft: Draft,
  fleet: FleetRow,
  inputs: PlanningInputs,
  context: Context,
): Omit<FleetPlan, "reasons"> {
  const wish = knownWish(doubtsOf(draft, context.wire.profileHash), parseWish(fleet.wish));
  const counted = count(draft, fleet, context);
  const { running, starting, stopping, missing } = counted;
  const stands = fleetPhase(draft, fleet, context);
  const base = {
    fleet: fleet.name,
    desired: desiredGpus(draft, fleet, context),
    running,
    starting,
    stopping,
    launches: [],
    stops: [],
    holds: [],
    notes: [],
    // Only moments that something follows from: any other, once past, would wake ticks without end.
    wake:
      stands.kind === "drained"
        ? undefined
        : sooner(untilDeadline(wish, context), stands.kind === "kept" ? timeLeft(fleet, context) : undefined),
  };
  if (stands.kind === "drained") return { ...base, ...planDrain(draft, fleet, counted, inputs, stands) };
  if (stands.kind === "paused")
    return {
      ...base,
      notes: [
        `${stands.why}: what runs is kept, nothing is launched or stopped`,
        ...pausedStopsText(draft, fleet),
      ],
    };
  if (!fleet.born) {
    const hold = fleet.birth === null ? undefined : initialAdoptionHold(draft, wish, inputs.offers, context);
    const apart = Math.round(context.settings.gone / 1000);
    const first = `two agreeing lists, ${apart} s apart, are taken first, so that machines which are there already are matched`;
    const left = fleet.birth === null ? 0 : untilSecondLook(draft, fleet, context.now, context);
    return { ...base, notes: [hold ?? first], wake: sooner(base.wake, left > 0 ? left : undefined) };
  }
  const uncounted = whyUncounted(draft, fleet, context);
  if (uncounted) return { ...base, holds: [uncounted] };
  if (fleet.attempt?.state === "givenBack") {
    const given = planGiveBack(draft, fleet, inputs, context);
    return { ...base, ...given, wake: sooner(base.wake, firstEnd(given.holds, context)) };
  }
  const doubted = doubtedGpusText(draft, fleet, context);
  const owner = fleetOwner(fleet.name);
  if (missing <= 0) {
    const surplus = planSurplus(draft, wish, counted, inputs, context);
    const renewal =
      surplus.stops.length > 0
        ? { stops: [], notes: [] }
        : planRenewal(draft, fleet, wish, counted, inputs, context);
    const held = whyHeld(draft, owner) ?? whyProbed(draft, owner, context);
    const others = [
      ...noReplacement(draft, wish, inputs),
      ...outsideTotal(draft, fleet, wish, context),
      ...spentToday(draft, fleet, wish, context),
    ];
    return {
      ...base,
      stops: [...surplus.stops, ...renewal.stops],
      holds: held ? [held] : [],
      notes: [...surplus.notes, ...renewal.notes, ...doubted, ...others, ...dueText(fleet)],
    };
  }
  const holds = planHolds(draft, { owner, limits: limitsOf(wish), rules: FLEET_RULES }, context);
  const unread = wish.select && inputs.unreadOffers !== undefined ? [inputs.unreadOffers] : [];
  const planned =
    holds.length > 0
      ? { holds, wake: firstEnd(holds, context) }
      : planLaunches(draft, fleet, wish, counted, inputs, context);
  const notes = [...unread, ...doubted, ...dueText(fleet)];
  return { ...base, ...planned, notes, wake: sooner(base.wake, planned.wake) };
}

/** A wish that became impossible stops nothing, but people are told before a machine is lost. */
function noReplacement(draft: Draft, wish: Wish, { offers }: PlanningInputs): readonly string[] {
  const { balance } = draft.account;
  const usd = balance === null ? undefined : parseUsd(balance.amount);
  return impossible(wish, offers, usd).map((why) => `what runs is kept, and could not be replaced: ${why}`);
}

/** Machines of unknown price, such as adopted ones, are in no total: that must not be silent. */
function outsideTotal(
  draft: Draft,
  { name }: FleetRow,
  { budget: { total } }: Wish,
  context: Context,
): readonly string[] {
  const unpriced = total === undefined ? [] : unpricedOf(billsOf(draft, fleetOwner(name), context));
  if (unpriced.length === 0) return [];
  return [
    `nobody knows the price of ${andMore(unpriced.map(({ of }) => of))}: what that costs does not count towards the total of ${usdText(total)} USD`,
  ];
}

/** What is spent grows by the hour, and a text that changes is written at each tick: the limit alone is named. */
function spentToday(
  draft: Draft,
  { name }: FleetRow,
  { budget: { perDay } }: Wish,
  context: Context,
): readonly string[] {
  const limit = perDay === undefined ? undefined : parseUsd(perDay);
  const owner = fleetOwner(name);
  if (
    limit === undefined ||
    paidBy(draft, owner, billsOf(draft, owner, context), midnight(context)).lt(limit)
  )
    return [];
  return [
    `the ${usdText(limit)} USD of today are spent: what is lost is not replaced before midnight UTC. What runs goes on and bills: perDay ends nothing, total and until do`,
  ];
}

function sooner(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
