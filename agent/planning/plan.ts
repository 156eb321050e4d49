import { whyNotStopping } from "../../launch/ends/not-stopping.ts";
import { whyHeld } from "../../launch/ends/returned.ts";
import { unservingOf, unservingText, whyUnservingHalts } from "../../launch/ends/unserving.ts";
import type { Context } from "../../launch/facts/context.ts";
import { hold, holdText } from "../../launch/facts/hold.ts";
import { livingOf, toBeStopped } from "../../launch/facts/occupancy.ts";
import { midnight } from "../../launch/money/budget.ts";
import { doubtsOf } from "../../launch/money/price.ts";
import { budgetsOver } from "../../launch/money/shared-budget.ts";
import { billsOf, paidBy, unpricedOf } from "../../launch/money/spend.ts";
import { unshownText } from "../../launch/resolve/doubted.ts";
import { whyVanishedHolds } from "../../launch/resolve/vanished.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { amountText, parseUsd, USD } from "../../service/contract/money.ts";
import { createMemory } from "../../service/same/memory.ts";
import { isOver } from "../fleet/declare/fleets.ts";
import { fleetPhase, untilDeadline } from "../fleet/phase/fleet-phase.ts";
import { lifeText } from "../fleet/phase/life.ts";
import { toRenew } from "../fleet/phase/renewal-marks.ts";
import { asWhole, atItsLargest, scheduleOf } from "../fleet/size/asked-size.ts";
import { loweredText } from "../fleet/size/lowered-count.ts";
import { metricTexts } from "../fleet/size/metric.ts";
import { untilAskEnds } from "../fleet/size/person-ask.ts";
import { scheduleTexts } from "../fleet/size/schedule-text.ts";
import { andMore, gpusText } from "../fleet/text/text.ts";
import { stopAhead } from "../fleet/wish/before-stop-wish.ts";
import { askedAt } from "../fleet/wish/schedule.ts";
import { rangeOf } from "../fleet/wish/size-range.ts";
import { isLimited, parseWish, type Wish } from "../fleet/wish/wish.ts";
import { impossible } from "./choices/impossible.ts";
import { improveDoubts } from "./choices/improve-doubts.ts";
import { bufferRoom, count } from "./count/count.ts";
import { doubtedGpusText } from "./count/doubted-gpus.ts";
import { mayMove } from "./count/improving.ts";
import { knownOffers } from "./count/known-prices.ts";
import { wishInForce } from "./count/wish-in-force.ts";
import { dueText, timeLeft } from "./holds/all-or-nothing.ts";
import { untilHooksEnd } from "./machines/before-stop.ts";
import { unhealthyTexts } from "./machines/health.ts";
import { notKnownIdle } from "./machines/idle.ts";
import { olderFacts, olderText } from "./machines/older-wish.ts";
import { mayUpdate } from "./machines/updating.ts";
import { bufferText } from "./moves/fill-buffer.ts";
import type { Planned, Situation } from "./moves/move.ts";
import { MOVES } from "./moves/moves.ts";
import { lacksBehindFloor } from "./needs-balance.ts";
import { type FleetPlan, type PlanningInputs, told } from "./told/fleet-plan.ts";
import { needsPrices, workTexts } from "./work/work.ts";

/** The plans of the fleets that are not over. From a distrusted list nothing is launched or stopped. */
export function plansOf(
  draft: Draft,
  inputs: PlanningInputs,
  believed: boolean,
  context: Context,
): readonly FleetPlan[] {
  const plans = plan(draft, inputs, context).filter(({ fleet }) => {
    const row = draft.fleets.get(fleet);
    return row && !isOver(draft, row);
  });
  const nothing = {
    launches: [],
    stops: [],
    lowers: undefined,
    move: undefined,
    update: undefined,
    holds: [hold("distrusted", {})],
    notes: [],
  };
  if (!believed) return plans.map((each) => told({ ...each, ...nothing }, context));
  return plans.map((each) => withBalanceProblem(draft, each, inputs, context));
}

/** A refused launch says that the floor holds it back; this adds that the balance cannot be read, and why. */
function withBalanceProblem(
  draft: Draft,
  planned: FleetPlan,
  { balanceProblem }: PlanningInputs,
  context: Context,
): FleetPlan {
  const fleet = draft.fleets.get(planned.fleet);
  if (balanceProblem === undefined || !fleet || !lacksBehindFloor(draft, fleet, context)) return planned;
  return told(
    { ...planned, holds: [...planned.holds, hold("unreadBalance", { why: balanceProblem })] },
    context,
  );
}

export function plan(draft: Draft, inputs: PlanningInputs, context: Context): readonly FleetPlan[] {
  const known = { ...inputs, offers: knownOffers(doubtsOf(draft, context.wire.profileHash), inputs.offers) };
  return [...draft.fleets.values()].map((fleet) => {
    const planned = planFleet(draft, fleet, known, context);
    const texts = [
      ...(fleet.removed
        ? []
        : [loweredText(fleet, context, draft.account.currency)].filter((text) => text !== undefined)),
      ...(fleet.removed ? [] : [...olderText(draft, fleet, context), ...lifeText(fleet, context)]),
      ...(fleet.part?.leaving ? [holdText(hold("leaving", {}))] : []),
      ...(fleet.part?.troubles ?? []),
      ...lackingText(draft, fleet, context),
      ...unservingOf(draft, context, fleetOwner(fleet.name)).map((row) => unservingText(draft, row, context)),
      ...stuckText(draft, fleet, context),
      ...notKnownIdle(draft, fleet, context),
      ...unhealthyTexts(draft, fleet, context),
    ];
    return told({ ...planned, notes: [...planned.notes, ...texts] }, context);
  });
}

/** Machines that count though no list shows them. */
function lackingText(draft: Draft, { name }: FleetRow, context: Context): readonly string[] {
  const lacking = livingOf(draft, fleetOwner(name)).filter(({ missing }) => missing !== null);
  const why = lacking.some(({ lastSeen }) => lastSeen !== null) ? draft.account.vanished?.why : undefined;
  return [why, ...lacking.map((row) => unshownText(row, context))].filter((text) => text !== undefined);
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
    const wish = wishInForce(draft, fleet, context);
    const isShared = budgetsOver(draft, fleetOwner(fleet.name)).length > 0;
    if (!wantsPrices(wish) && !isShared && context.wire.abilities.extra === undefined) return false;
    return fleet.born
      ? (fleet.part?.short ?? 0) > 0 ||
          count(draft, fleet, context).missing > 0 ||
          bufferRoom(draft, fleet, context) > 0 ||
          toRenew(draft, fleet.name).length > 0 ||
          mayMove(draft, fleet, context) ||
          needsPrices(fleet, context) ||
          mayUpdate(draft, fleet, context)
      : draft.account.tenure === "exclusive";
  });
}

/** True if it chooses by the service's prices, whatever its candidates say, or is held to them. */
function wantsPrices(wish: Wish): boolean {
  const { candidates, improve, update, maxAge, otherSizes, steadier, buffer, work } = wish;
  const compares = [improve, update, maxAge, otherSizes, steadier, buffer, work].some(
    (each) => each !== undefined,
  );
  return !candidates || compares || isLimited(wish);
}

function planFleet(
  draft: Draft,
  fleet: FleetRow,
  inputs: PlanningInputs,
  context: Context,
): Omit<FleetPlan, "reasons"> {
  const wish = wishInForce(draft, fleet, context);
  const counted = count(draft, fleet, context);
  const phase = fleetPhase(draft, fleet, context);
  const of: Situation = { draft, fleet, phase, wish, counted, inputs, context };
  const moves = movesOf(of);
  const { running, starting, stopping } = counted;
  return {
    fleet: fleet.name,
    currency: draft.account.currency ?? USD,
    desired: wish.gpus,
    running,
    starting,
    stopping,
    launches: moves.flatMap(({ launches = [] }) => launches),
    stops: moves.flatMap(({ stops = [] }) => stops),
    move: moves.find(({ move }) => move !== undefined)?.move,
    update: moves.find(({ update }) => update !== undefined)?.update,
    lowers: moves.find(({ lowers }) => lowers !== undefined)?.lowers,
    olderWish: olderFacts(draft, fleet, context),
    holds: moves.flatMap(({ holds = [] }) => holds),
    notes: moves.flatMap(({ notes = [] }) => notes),
    // Only moments that something follows from: any other, once past, would wake ticks without end.
    wake: soonest([
      untilHooksEnd(draft, fleet, context),
      ...(phase.kind === "drained"
        ? []
        : [
            untilStopped(wish, context),
            phase.kind === "kept" ? timeLeft(fleet, wish, context) : undefined,
            untilNextSize(fleet, context),
            ...moves.map(({ wake }) => wake),
          ]),
    ]),
  };
}

/** What is planned, move by move, and last what people should know of a fleet that is kept. */
function movesOf(of: Situation): readonly Planned[] {
  const planned: Planned[] = [];
  for (const { alone, plan: planMove } of MOVES) {
    const next = planMove(of);
    if (!next) continue;
    planned.push(next);
    if (alone) return planned;
    if ([...(next.stops ?? []), ...(next.launches ?? [])].length > 0) break;
  }
  return [...planned, remarks(of)];
}

function remarks(of: Situation): Planned {
  const { draft, fleet, wish, counted, inputs, context } = of;
  const doubted = doubtedGpusText(draft, fleet, context);
  const sized = [
    ...bufferText(of),
    ...workTexts(draft, fleet, context),
    ...sizeNotes(draft, fleet, wish, inputs, context),
    ...improveDoubts(wish, inputs.offers, context.now.wall).map((text) => `improve: ${text}`),
  ];
  if (counted.missing > 0) return { notes: [...doubted, ...dueText(fleet, wish), ...sized] };
  const owner = fleetOwner(fleet.name);
  const held =
    whyUnservingHalts(draft, context) ?? whyHeld(draft, owner) ?? whyVanishedHolds(draft, owner, context);
  const others = [
    ...noReplacement(draft, wish, inputs),
    ...outsideTotal(draft, fleet, wish, context),
    ...spentToday(draft, fleet, wish, context),
  ];
  return { holds: held ? [held] : [], notes: [...doubted, ...others, ...dueText(fleet, wish), ...sized] };
}

/** What a schedule, a metric and a person ask for now and next, and why the largest count could not be had. */
function sizeNotes(
  draft: Draft,
  fleet: FleetRow,
  wish: Wish,
  { offers }: PlanningInputs,
  context: Context,
): readonly string[] {
  const asked = asWhole(fleet);
  const schedule = scheduleOf(asked, context);
  if (!rangeOf(wish) || wish.work) return [];
  const largest = largestWish.of(wish, [], () => atItsLargest(wish));
  // The balance that is left then, nobody knows today.
  const never =
    (wish.schedule ?? wish.metric) && largest.gpus > wish.gpus
      ? impossible(largest, offers, undefined, draft.account)
      : [];
  const whose = wish.metric ? "gpus.max" : "the largest count of the schedule";
  return [
    ...never.map((why) => `${whose}, ${gpusText(largest.gpus)}, cannot be had: ${why}`),
    ...(schedule ? scheduleTexts(schedule, context.now.wall) : []),
    ...metricTexts(asked),
  ];
}

const largestWish = createMemory<Wish, Wish>();

/** A wish that became impossible stops nothing, but people are told before a machine is lost. */
function noReplacement(draft: Draft, wish: Wish, { offers }: PlanningInputs): readonly string[] {
  const { balance } = draft.account;
  const usd = balance === null ? undefined : parseUsd(balance.amount);
  return impossible(wish, offers, usd, draft.account).map(
    (why) => `what runs is kept, and could not be replaced: ${why}`,
  );
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
    `nobody knows the price of ${andMore(unpriced.map(({ of }) => of))}: what that costs does not count towards the total of ${amountText(total, draft.account.currency)}`,
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
    `the ${amountText(limit, draft.account.currency)} of today are spent: what is lost is not replaced before midnight UTC. What runs goes on and bills: perDay ends nothing, total and until do`,
  ];
}

/** Milliseconds until its schedule asks for another number, or a person for nothing more. */
function untilNextSize(fleet: FleetRow, context: Context): number | undefined {
  // Each agent of a fleet in several services comes round then: one of them gives it its size.
  const schedule = fleet.part ? parseWish(fleet.part.whole).schedule : scheduleOf(fleet, context);
  const next = schedule && askedAt(schedule, context.now.wall).next;
  return soonest([next && next.at - context.now.wall, untilAskEnds(fleet, context)]);
}

/** Milliseconds until it is drained for its deadline. */
function untilStopped(wish: Wish, context: Context): number | undefined {
  const left = untilDeadline(wish, context);
  return left === undefined ? undefined : Math.max(0, left - stopAhead(wish));
}

function soonest(moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
