import { admit } from "../launch/admit.ts";
import { claim } from "../launch/claim.ts";
import type { Context } from "../launch/context.ts";
import type { Keeper } from "../launch/keeper.ts";
import { carryOutStops, contextOf, takeBalance, takeList } from "../launch/keeper.ts";
import { sight } from "../launch/sight.ts";
import { toBeJudged } from "../launch/slot.ts";
import { askStop } from "../launch/stop.ts";
import { Draft } from "../ledger/draft.ts";
import type { DeploymentRow, FleetRow } from "../ledger/rows.ts";
import { FleetkeeperError } from "../service/errors.ts";
import { recordAttempt } from "./all-or-nothing.ts";
import { birth, presentOnes } from "./birth.ts";
import { count, isOver } from "./count.ts";
import type { FleetDeclaration } from "./fleets.ts";
import { declareAll, inherit } from "./fleets.ts";
import type { Attempt } from "./launch-fleet.ts";
import { isGrouped, launchFleet, launchWish } from "./launch-fleet.ts";
import type { Option } from "./mix.ts";
import type { FleetPlan, Means } from "./plan.ts";
import { needsOffers, plan } from "./plan.ts";
import { recordStanding, standing } from "./standing.ts";
import { Underway } from "./underway.ts";
import { parseWish } from "./wish.ts";

/** What one tick saw, decided and did. */
export interface TickReport {
  /** False: the list was distrusted, and nothing was concluded from what it lacks. */
  readonly believed: boolean;
  readonly plans: readonly FleetPlan[];
  readonly launched: readonly Attempt[];
  readonly stopped: readonly string[];
  /** Machines that live and that nobody here answers for. */
  readonly unaccounted: readonly DeploymentRow[];
  /** Milliseconds until the next tick is due. */
  readonly wake: number;
}

const DISTRUST =
  "the newest list lacks half of the machines at once, and is not believed before a second one agrees: nothing is launched or stopped";

export interface TickOptions {
  /** Leaves fleets alone that are somebody else's to keep, as for a `pulumi up` that brings one about by itself. */
  readonly mine?: (fleet: string) => boolean;
  /** What goes on while the next ticks run. Without it a tick waits for all that it does. */
  readonly underway?: Underway;
}

/**
 * One round of reconciling: take a full list, plan, act. One list call and nothing else where nothing is to be done.
 * Throws a `FleetkeeperError` if the service or the ledger cannot be read: then nothing was decided.
 */
export async function tick(
  keeper: Keeper,
  signal: AbortSignal,
  { mine = () => true, underway }: TickOptions = {},
): Promise<TickReport> {
  const { ledger, account, settings } = keeper;
  const hands: Hands = {
    underway: underway ?? new Underway(() => undefined),
    patience: underway && settings.poll,
  };
  const believed = await takeList(keeper, signal);
  const before = new Draft(await ledger.read(account));
  const means = await meansOf(keeper, needsOffers(before, contextOf(keeper)), signal);
  if (needsBalance(before, contextOf(keeper))) await tryBalance(keeper, signal);
  const seen = await ledger.decide(account, (draft) => {
    const context = contextOf(keeper);
    if (believed && draft.account.list) {
      for (const fleet of draft.fleets.values()) if (mine(fleet.name)) recordStanding(draft, fleet, context);
      for (const fleet of draft.fleets.values())
        if (mine(fleet.name)) birth(draft, fleet, draft.account.list, means.offers, context);
      for (const fleet of draft.fleets.values()) if (mine(fleet.name)) recordAttempt(draft, fleet, context);
    }
    // One moment for all of it: what is drained is written down as drained in the transaction that asks for its stops.
    const plans = plansOf(draft, means, believed, context).filter(({ fleet }) => mine(fleet));
    for (const { stops } of plans) for (const { id, why } of stops) askStop(draft, id, why, context);
    return {
      plans,
      unaccounted: toBeJudged(draft, context.now),
      unborn: [...draft.fleets.values()].some((fleet) => mine(fleet.name) && isFirstLook(fleet)),
    };
  });
  // Neither waits for the other: a stop call that hangs must not keep a lost machine from being replaced.
  const [launching, stopping] = believed
    ? await Promise.allSettled([
        carryOutLaunches(keeper, seen.plans, hands, signal),
        goOnStopping(keeper, hands, signal),
      ])
    : [];
  const launched = launching?.status === "fulfilled" ? launching.value.done : [];
  const late =
    (launching?.status === "fulfilled" && launching.value.late) ||
    (stopping?.status === "fulfilled" && stopping.value.late);
  const plans = seen.plans.map((each) => withOutcomes(each, launched));
  await storeReasons(keeper, plans, mine);
  for (const each of [launching, stopping]) if (each?.status === "rejected") throw each.reason;
  return {
    believed,
    plans,
    launched,
    stopped: plans.flatMap(({ stops }) => stops.map(({ id }) => id)),
    unaccounted: seen.unaccounted,
    wake: seen.unborn || late ? 0 : soonest(plans, launched, settings.poll),
  };
}

export interface Preview {
  /** False: the list was distrusted; a tick would do nothing. */
  readonly believed: boolean;
  readonly plans: readonly FleetPlan[];
}

/** Who declares fleets, for a preview of what follows. */
export interface Declared {
  readonly source: string;
  readonly fleets: readonly FleetDeclaration[];
  readonly isGone: (source: string) => boolean;
}

/**
 * What the next ticks would do if this were declared, from a fresh list. What the list shows is stored; what is declared is
 * not, and nothing is sent but reads.
 */
export async function preview(
  keeper: Keeper,
  declared: Declared | undefined,
  signal: AbortSignal,
): Promise<Preview> {
  const { ledger, account } = keeper;
  const believed = await takeList(keeper, signal);
  const before = new Draft(await ledger.read(account));
  declareInto(before, declared, keeper);
  const chooses = [...before.fleets.values()].some(({ wish }) => parseWish(wish).select !== undefined);
  const means = await meansOf(keeper, chooses || needsOffers(before, contextOf(keeper)), signal);
  if ([...before.fleets.values()].some(hasFloor)) await tryBalance(keeper, signal);
  const draft = new Draft(await ledger.read(account));
  declareInto(draft, declared, keeper);
  const { list } = draft.account;
  for (const fleet of draft.fleets.values()) {
    // As if a second list had just agreed with this one.
    if (!believed || fleet.born || fleet.removed || !list) continue;
    const looked = draft.putFleet({ ...fleet, birth: presentOnes(draft) });
    birth(draft, looked, list, means.offers, contextOf(keeper));
  }
  if (believed) for (const fleet of draft.fleets.values()) recordAttempt(draft, fleet, contextOf(keeper));
  const plans = plansOf(draft, means, believed, contextOf(keeper));
  return { believed, plans: plans.map((each) => withRefusals(keeper, draft, each)) };
}

function declareInto(draft: Draft, declared: Declared | undefined, keeper: Keeper): void {
  if (!declared) return;
  inherit(draft, declared.fleets, declared.isGone);
  declareAll(draft, declared.source, declared.fleets, contextOf(keeper));
}

function plansOf(draft: Draft, means: Means, believed: boolean, context: Context): readonly FleetPlan[] {
  const plans = plan(draft, means, context).filter(({ fleet }) => {
    const row = draft.fleets.get(fleet);
    return row && !isOver(draft, row);
  });
  return believed ? plans : plans.map((each) => ({ ...each, launches: [], stops: [], reasons: [DISTRUST] }));
}

/**
 * Offers that cannot be read hold the fleets that choose among them, and nothing else: what runs elsewhere must still be
 * replaced and stopped.
 */
async function meansOf(keeper: Keeper, withOffers: boolean, signal: AbortSignal): Promise<Means> {
  const can = keeper.service.abilities;
  if (!can.offers || !withOffers) return { can, offers: undefined };
  try {
    return { can, offers: await keeper.service.offers(signal) };
  } catch (error) {
    return { can, offers: undefined, offersProblem: unlessFatal(error, signal).message };
  }
}

/** The first of the two lists that a birth needs was just taken: the second is taken at once. */
function isFirstLook(fleet: FleetRow): boolean {
  return !fleet.born && !fleet.removed && fleet.birth !== null && fleet.reasons.length === 0;
}

/** What is under way beside this tick, and how long it waits for its own part of it; undefined: to the end. */
interface Hands {
  readonly underway: Underway;
  readonly patience: number | undefined;
}

/** `late`: something is under way still, and this tick waits for it no longer. */
interface Done {
  readonly done: readonly Attempt[];
  readonly late: boolean;
}

async function carryOutLaunches(
  keeper: Keeper,
  plans: readonly FleetPlan[],
  { underway, patience }: Hands,
  signal: AbortSignal,
): Promise<Done> {
  const busy = plans.filter(({ launches }) => launches.length > 0);
  if (busy.length === 0) return { done: [], late: false };
  // What outlives this tick sends nothing more: what is missing then is planned anew, from a newer list.
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const begin = (fleet: string, launches: readonly Option[]): Promise<readonly Attempt[]> =>
    underway.begin(launchFleet(keeper, fleet, launches, either));
  const within = (work: readonly Promise<readonly Attempt[]>[]) =>
    underway.within(patience, work, keeper.clock, signal);
  try {
    // All fleets at once: a launch that hangs must not keep another fleet waiting.
    const rounds = await within(
      busy.map(({ fleet, launches }) =>
        begin(
          fleet,
          launches.map(({ option }) => option),
        ),
      ),
    );
    const done: Attempt[] = [];
    let late = false;
    for (const attempts of rounds) {
      late ||= attempts === undefined;
      const grouped = (attempts ?? []).filter(isGrouped);
      done.push(...(attempts ?? []).filter((each) => !isGrouped(each)));
      // Where lists cannot tell the fleets' launches apart, they go out one after the other.
      const [first] = grouped;
      if (!first || rounds.includes(undefined)) continue;
      const options = grouped.map(({ option }) => option);
      const [again] = await within([begin(first.fleet, options)]);
      late ||= again === undefined;
      done.push(...(again ?? []));
    }
    return { done, late };
  } finally {
    over.abort();
  }
}

/** One machine after the other; while that takes longer than its tick, no second round of stops begins. */
async function goOnStopping(
  keeper: Keeper,
  { underway, patience }: Hands,
  signal: AbortSignal,
): Promise<Pick<Done, "late">> {
  const stops = underway.beginStops(() => carryOutStops(keeper, signal));
  if (!stops) return { late: false };
  const [ended] = await underway.within(patience, [stops], keeper.clock, signal);
  return { late: ended === undefined };
}

function hasFloor(fleet: FleetRow): boolean {
  return !fleet.removed && parseWish(fleet.wish).budget.floor !== undefined;
}

/** True if some fleet that lacks machines must keep to a floor. */
function needsBalance(draft: Draft, context: Context): boolean {
  return [...draft.fleets.values()].some(
    (fleet) =>
      hasFloor(fleet) &&
      standing(draft, fleet, context).kind === "kept" &&
      (!fleet.born || count(draft, fleet, context).missing > 0),
  );
}

/** Without a balance the fleets with a floor wait: their launches are not admitted. The others go on. */
async function tryBalance(keeper: Keeper, signal: AbortSignal): Promise<void> {
  try {
    await takeBalance(keeper, signal);
  } catch (error) {
    unlessFatal(error, signal);
  }
}

/** An error that only one thing suffers from; throws what the whole tick must fail with. */
function unlessFatal(error: unknown, signal: AbortSignal): FleetkeeperError {
  if (signal.aborted || !(error instanceof FleetkeeperError) || error.code === "LEDGER") throw error;
  return error;
}

/** Asks for each planned launch whether it would be admitted, on a draft that nobody stores. */
function withRefusals(keeper: Keeper, draft: Draft, planned: FleetPlan): FleetPlan {
  const row = draft.fleets.get(planned.fleet);
  if (!row) return planned;
  const wish = parseWish(row.wish);
  const reasons = [...planned.reasons];
  const launches = planned.launches.filter(({ option }) => {
    const fresh = { id: keeper.newId(), ledger: keeper.ledger.id, sender: keeper.clock.self };
    const asked = launchWish(keeper, planned.fleet, wish, option);
    const context = contextOf(keeper);
    const admission = admit(draft, asked, context, fresh);
    if ("refused" in admission) {
      reasons.push(admission.refused.text);
      return false;
    }
    // As if it had been granted: what comes after it has that much less room and money.
    const { intent } = admission;
    const row = sight(
      draft,
      { id: intent.id, status: "initializing" },
      { by: "launch", asked: null },
      context,
    );
    claim(draft, intent, row, "certain", context);
    return true;
  });
  return { ...planned, launches, reasons: [...new Set(reasons)] };
}

/** What the launches came to belongs to the reasons why the count is not reached. */
function withOutcomes(planned: FleetPlan, launched: readonly Attempt[]): FleetPlan {
  const attempts = launched.filter(({ fleet }) => fleet === planned.fleet);
  return { ...planned, reasons: [...new Set([...planned.reasons, ...attempts.flatMap(reasonOf)])] };
}

/** Keeps why a count is not reached, for status, page and provider; written only when it changes. */
async function storeReasons(
  { ledger, account }: Keeper,
  plans: readonly FleetPlan[],
  mine: (fleet: string) => boolean,
): Promise<void> {
  const all = new Map(plans.map(({ fleet, reasons }) => [fleet, reasons] as const));
  const isNews = ({ name, reasons }: FleetRow): boolean =>
    mine(name) && reasons.join("\n") !== (all.get(name) ?? []).join("\n");
  if (!(await ledger.read(account)).fleets.some(isNews)) return;
  await ledger.decide(account, (draft) => {
    for (const fleet of draft.fleets.values())
      if (isNews(fleet)) draft.putFleet({ ...fleet, reasons: all.get(fleet.name) ?? [] });
  });
}

function reasonOf({ result }: Attempt): readonly string[] {
  switch (result.kind) {
    case "claimed":
      return [];
    case "refused":
      return [result.refusal.text];
    case "open":
    case "cooling":
    case "rejected":
    case "notSent":
      return [result.reason];
  }
}

function soonest(plans: readonly FleetPlan[], launched: readonly Attempt[], poll: number): number {
  const wakes = plans.map(({ wake }) => wake ?? poll);
  const kinds = new Set(launched.map(({ result }) => result.kind));
  // What is not known is looked for at once; a refused combination may have left others that fit.
  const now = kinds.has("open") || kinds.has("cooling") || kinds.has("rejected");
  // A round of launches that outlived its list goes on with a fresh one; so does what let another launch go first.
  const heldUp =
    kinds.has("claimed") &&
    launched.some(({ result }) => result.kind === "refused" && /^(stale|probe)$/.test(result.refusal.why));
  return Math.min(poll, now || heldUp ? 0 : poll, ...wakes);
}
