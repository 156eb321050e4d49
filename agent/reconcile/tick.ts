import type { Refusal } from "../../launch/admit.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { contextOf } from "../../launch/keeper.ts";
import { settleDoubts } from "../../launch/price-doubt.ts";
import { carryOutStops } from "../../launch/protocol.ts";
import { untilRestoredLook } from "../../launch/restored.ts";
import { toBeJudged } from "../../launch/slot.ts";
import { askStop } from "../../launch/stop.ts";
import type { DeploymentRow, FleetRow } from "../../ledger/rows.ts";
import { recordPhase } from "../fleet/fleet-phase.ts";
import { recordPausedStops } from "../fleet/paused-stops.ts";
import type { Wish } from "../fleet/wish.ts";
import { parseWish } from "../fleet/wish.ts";
import { recordAttempt } from "../planning/all-or-nothing.ts";
import { isOrdered } from "../planning/churn.ts";
import { recordDoubtedGpus } from "../planning/doubted-gpus.ts";
import type { FleetPlan } from "../planning/fleet-plan.ts";
import { adoptInitially, matchFurther, untilSecondLook } from "../planning/initial-adoption.ts";
import { UNSENT_BACKOFF_MS } from "../planning/launch-backoff.ts";
import type { Option } from "../planning/mix.ts";
import { plansOf } from "../planning/planning-inputs.ts";
import { InFlight } from "./in-flight.ts";
import type { FleetLaunch } from "./launch-fleet.ts";
import { isGrouped, launchFleet } from "./launch-fleet.ts";
import { lookAround } from "./look-around.ts";
import { SideReads } from "./side-reads.ts";

/** What one tick saw, decided and did. */
export interface TickReport {
  /** False: the list was distrusted, and nothing was concluded from what it lacks. */
  readonly believed: boolean;
  readonly plans: readonly FleetPlan[];
  readonly launched: readonly FleetLaunch[];
  readonly stopped: readonly string[];
  /** Machines that live and that nobody here answers for. */
  readonly unaccounted: readonly DeploymentRow[];
  /** A fleet waits for the second list of its birth, or of a ledger that was restored. */
  readonly looking: boolean;
  /** Milliseconds until the next tick is due. */
  readonly wake: number;
}

export interface TickOptions {
  /** Leaves fleets alone that are somebody else's to keep, as for a `pulumi up` that brings one about by itself. */
  readonly mine?: (fleet: string) => boolean;
  /** What goes on while the next ticks run. Without it a tick waits for all that it does. */
  readonly inFlight?: InFlight;
  /** What such ticks read beside their lists. */
  readonly reads?: SideReads;
}

/**
 * One round of reconciling: take a full list, plan, act. One list call and nothing else where nothing is to be done.
 * Throws a `FleetkeeperError` if the service or the ledger cannot be read: then nothing was decided, and only the stops that
 * were decided before went on.
 */
export async function tick(
  keeper: Keeper,
  signal: AbortSignal,
  options: TickOptions = {},
): Promise<TickReport> {
  const { ledger, account, settings } = keeper;
  const { mine = () => true, inFlight: underway = new InFlight(() => undefined) } = options;
  const { reads = new SideReads(underway) } = options;
  const hands: Hands = { inFlight: underway, patience: options.inFlight && settings.poll };
  const { believed, means, slow } = await lookAround(keeper, reads, hands.patience, signal).catch(
    async (error: unknown) => {
      // What was decided before needs no list: each machine is looked at by its id, and bills for as long as lists fail.
      await goOnStopping(keeper, hands, signal);
      throw error;
    },
  );
  const seen = await ledger.decide(account, (draft) => {
    const context = contextOf(keeper);
    settleDoubts(draft, means.offers, context);
    if (believed && draft.account.list) {
      for (const fleet of draft.fleets.values()) if (mine(fleet.name)) recordPhase(draft, fleet, context);
      for (const fleet of draft.fleets.values())
        if (mine(fleet.name)) adoptInitially(draft, fleet, draft.account.list, means.offers, context);
      for (const fleet of draft.fleets.values())
        if (mine(fleet.name)) matchFurther(draft, fleet, means.offers, context);
      for (const fleet of draft.fleets.values()) if (mine(fleet.name)) recordAttempt(draft, fleet, context);
      for (const fleet of draft.fleets.values())
        if (mine(fleet.name)) recordDoubtedGpus(draft, fleet, context);
    }
    // One moment for all of it: what is drained is written down as drained in the transaction that asks for its stops.
    const plans = plansOf(draft, means, believed, context).filter(({ fleet }) => mine(fleet));
    for (const { fleet, stops } of plans)
      for (const { id, why } of stops)
        askStop(draft, id, why, context, "planned", isOrdered(draft, fleet, id, context));
    for (const fleet of draft.fleets.values()) if (mine(fleet.name)) recordPausedStops(draft, fleet, context);
    return {
      plans,
      wishes: new Map([...draft.fleets.values()].map(({ name, wish }) => [name, parseWish(wish)])),
      unaccounted: toBeJudged(draft, context.now),
      // A fleet that lacks nothing waits for nothing.
      untilMatched: plans.some(isShort) ? untilRestoredLook(draft.account, context) : 0,
      looks: [...draft.fleets.values()]
        .filter((fleet) => mine(fleet.name) && isUnborn(fleet))
        .map((fleet) => ({
          isFirst: fleet.reasons.length === 0,
          ms: untilSecondLook(draft, fleet, context.now, context),
        })),
    };
  });
  // Neither waits for the other: a stop call that hangs must not keep a lost machine from being replaced.
  const [launching, stopping] = believed
    ? await Promise.allSettled([
        carryOutLaunches(keeper, seen, hands, signal),
        goOnStopping(keeper, hands, signal),
      ])
    : [];
  const launched = launching?.status === "fulfilled" ? launching.value.done : [];
  const late =
    (launching?.status === "fulfilled" && launching.value.late) ||
    (stopping?.status === "fulfilled" && stopping.value.late);
  const plans = seen.plans.map((each) => withOutcomes(each, launched, slow));
  await storeReasons(keeper, plans, mine);
  for (const each of [launching, stopping]) if (each?.status === "rejected") throw each.reason;
  return {
    believed,
    plans,
    launched,
    stopped: plans.flatMap(({ stops }) => stops.map(({ id }) => id)),
    unaccounted: seen.unaccounted,
    looking: seen.untilMatched > 0 || seen.looks.some(({ ms }) => ms > 0),
    // Where lists were read for long enough, the first look was just taken, and the second one is taken at once.
    wake:
      seen.looks.some(({ isFirst, ms }) => isFirst && ms === 0) || late
        ? 0
        : soonest(plans, launched, settings.poll),
  };
}

function isShort({ desired, running, starting }: FleetPlan): boolean {
  return running + starting < desired;
}

function isUnborn({ born, removed, birth }: FleetRow): boolean {
  return !born && !removed && birth !== null;
}

/** What is under way beside this tick, and how long it waits for its own part of it; undefined: to the end. */
interface Hands {
  readonly inFlight: InFlight;
  readonly patience: number | undefined;
}

/** `late`: something is under way still, and this tick waits for it no longer. */
interface Done {
  readonly done: readonly FleetLaunch[];
  readonly late: boolean;
}

/** Plans, and the wishes that they were made for. */
interface Planned {
  readonly plans: readonly FleetPlan[];
  readonly wishes: ReadonlyMap<string, Wish>;
}

async function carryOutLaunches(
  keeper: Keeper,
  { plans, wishes }: Planned,
  { inFlight: underway, patience }: Hands,
  signal: AbortSignal,
): Promise<Done> {
  const busy = plans.filter(({ launches }) => launches.length > 0);
  if (busy.length === 0) return { done: [], late: false };
  // What outlives this tick sends nothing more: what is missing then is planned anew, from a newer list.
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const begin = async (fleet: string, launches: readonly Option[]): Promise<readonly FleetLaunch[]> => {
    const wish = wishes.get(fleet);
    return wish ? underway.begin(launchFleet(keeper, fleet, wish, launches, either)) : [];
  };
  const within = (work: readonly Promise<readonly FleetLaunch[]>[]) =>
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
    const done: FleetLaunch[] = [];
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
    over.abort("the tick is over");
  }
}

/** One machine after the other; while that takes longer than its tick, no second round of stops begins. */
async function goOnStopping(
  keeper: Keeper,
  { inFlight: underway, patience }: Hands,
  signal: AbortSignal,
): Promise<Pick<Done, "late">> {
  const stops = underway.beginStops(() => carryOutStops(keeper, signal));
  if (!stops) return { late: false };
  const [ended] = await underway.within(patience, [stops], keeper.clock, signal);
  return { late: ended === undefined };
}

/** What the launches came to belongs to the reasons why the count is not reached. */
function withOutcomes(
  planned: FleetPlan,
  launched: readonly FleetLaunch[],
  slow: string | undefined,
): FleetPlan {
  const attempts = launched.filter(({ fleet }) => fleet === planned.fleet);
  const outcomes = attempts.flatMap((each) => reasonOf(each, slow));
  return { ...planned, reasons: [...new Set([...planned.reasons, ...outcomes])] };
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

function reasonOf({ result }: FleetLaunch, slow: string | undefined): readonly string[] {
  switch (result.kind) {
    case "claimed":
      return [];
    case "refused": {
      const { kind, text } = result.refusal;
      return [kind === "stale" && slow !== undefined ? `${text}; ${slow}` : text];
    }
    case "open":
    case "cooling":
    case "rejected":
    case "notSent":
      return [result.reason];
  }
}

/** With the next list, or with the next answer. */
function passesAtOnce({ kind }: Refusal): boolean {
  return kind === "stale" || kind === "probe";
}

function soonest(plans: readonly FleetPlan[], launched: readonly FleetLaunch[], poll: number): number {
  const wakes = plans.map(({ wake }) => wake ?? poll);
  const kinds = new Set(launched.map(({ result }) => result.kind));
  // What is not known is looked for at once; a refused combination may have left others that fit.
  const now = kinds.has("open") || kinds.has("cooling") || kinds.has("rejected");
  // A round of launches that outlived its list goes on with a fresh one; so does what let another launch go first.
  const heldUp =
    kinds.has("claimed") &&
    launched.some(({ result }) => result.kind === "refused" && passesAtOnce(result.refusal));
  const unsent = launched.some(({ result }) => result.kind === "notSent" && !result.permanent);
  return Math.min(poll, now || heldUp ? 0 : poll, unsent ? UNSENT_BACKOFF_MS : poll, ...wakes);
}
