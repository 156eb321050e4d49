import type { Keeper, LaunchResult } from "../launch/keeper.ts";
import { carryOutStops, contextOf, launch, takeBalance, takeList } from "../launch/keeper.ts";
import { askStop } from "../launch/stop.ts";
import { Draft } from "../ledger/draft.ts";
import type { FleetRow } from "../ledger/rows.ts";
import { parseUsd } from "../service/money.ts";
import type { Offer } from "../service/service.ts";
import { birth, presentOnes } from "./birth.ts";
import type { FleetDeclaration } from "./fleets.ts";
import { declareFleet } from "./fleets.ts";
import type { Option } from "./mix.ts";
import type { FleetPlan } from "./plan.ts";
import { fleetOwner, needsOffers, plan, roomFor } from "./plan.ts";
import { parseWish } from "./wish.ts";

/** What one tick saw, decided and did. */
export interface TickReport {
  /** False: the list was distrusted, and nothing was concluded from what it lacks. */
  readonly believed: boolean;
  readonly plans: readonly FleetPlan[];
  readonly launched: readonly {
    readonly fleet: string;
    readonly option: Option;
    readonly result: LaunchResult;
  }[];
  readonly stopped: readonly string[];
  /** Milliseconds until the next tick is due. */
  readonly wake: number;
}

/** The most launches of one fleet that are under way at once. */
const MOST_AT_ONCE = 64;

/**
 * One round of reconciling: take a full list, plan, act. One list call and nothing else where nothing is to be done.
 * Throws a `FleetkeeperError` if the service or the ledger cannot be read: then nothing was decided.
 */
export async function tick(keeper: Keeper, signal: AbortSignal): Promise<TickReport> {
  const { ledger, account, settings } = keeper;
  const believed = await takeList(keeper, signal);
  const offers = await offersIfNeeded(keeper, new Draft(await ledger.read(account)), signal);
  const { plans, unborn } = await ledger.decide(account, (draft) => {
    const context = contextOf(keeper);
    if (believed && draft.account.list) {
      for (const fleet of draft.fleets.values()) birth(draft, fleet, draft.account.list, offers, context);
    }
    const plans = plan(draft, offers, context);
    if (believed) {
      for (const { stops } of plans) for (const { id, why } of stops) askStop(draft, id, why, context);
    }
    return { plans, unborn: [...draft.fleets.values()].some(isFirstLook) };
  });
  await carryOutStops(keeper, signal);
  const launched = believed ? await carryOutLaunches(keeper, plans, signal) : [];
  await storeReasons(keeper, plans, launched);
  const open = launched.some(({ result }) => result.kind === "open");
  return {
    believed,
    plans,
    launched,
    stopped: plans.flatMap(({ stops }) => stops.map(({ id }) => id)),
    wake: open || unborn ? 0 : soonest(plans, launched, settings.poll),
  };
}

/**
 * What the next ticks would do for these fleets, from a fresh list. What the list shows is stored; the fleets are not,
 * and nothing is sent but reads.
 */
export async function preview(
  keeper: Keeper,
  declarations: readonly FleetDeclaration[],
  signal: AbortSignal,
): Promise<readonly FleetPlan[]> {
  const { ledger, account } = keeper;
  await takeList(keeper, signal);
  const draft = new Draft(await ledger.read(account));
  const context = contextOf(keeper);
  for (const declaration of declarations) declareFleet(draft, declaration, context);
  const offers = await offersIfNeeded(keeper, draft, signal);
  const { list } = draft.account;
  for (const fleet of draft.fleets.values()) {
    // As if a second list had just agreed with this one.
    if (!fleet.born && list) birth(draft, { ...fleet, birth: presentOnes(draft) }, list, offers, context);
  }
  return plan(draft, offers, context);
}

async function offersIfNeeded(
  keeper: Keeper,
  draft: Draft,
  signal: AbortSignal,
): Promise<readonly Offer[] | undefined> {
  const wanted = needsOffers(draft, contextOf(keeper)) || [...draft.fleets.values()].some(waitsForOffers);
  return wanted ? keeper.service.offers(signal) : undefined;
}

function waitsForOffers(fleet: FleetRow): boolean {
  return !fleet.born && !fleet.removed && parseWish(fleet.wish).candidates === undefined;
}

/** The first of the two lists that a birth needs was just taken: the second is taken at once. */
function isFirstLook(fleet: FleetRow): boolean {
  return !fleet.born && !fleet.removed && fleet.birth !== null && fleet.reasons.length === 0;
}

async function carryOutLaunches(
  keeper: Keeper,
  plans: readonly FleetPlan[],
  signal: AbortSignal,
): Promise<TickReport["launched"]> {
  const busy = plans.filter(({ launches }) => launches.length > 0);
  if (busy.length === 0) return [];
  const draft = new Draft(await keeper.ledger.read(keeper.account));
  if (busy.some(({ fleet }) => parseWish(draft.fleets.get(fleet)?.wish).budget.floor !== undefined)) {
    await takeBalance(keeper, signal);
  }
  const done: { fleet: string; option: Option; result: LaunchResult }[] = [];
  for (const { fleet, launches } of busy) {
    for (const each of await launchFleet(
      keeper,
      fleet,
      launches.map(({ option }) => option),
      signal,
    )) {
      done.push({ fleet, ...each });
    }
  }
  return done;
}

/**
 * Slow start: 1, 2, 4, ... launches at a time, as long as all of them succeed. A refusal or a cooldown ends the round and
 * the next one begins with 1 again, so that a service in trouble is not stormed.
 */
async function launchFleet(
  keeper: Keeper,
  fleet: string,
  options: readonly Option[],
  signal: AbortSignal,
): Promise<readonly { option: Option; result: LaunchResult }[]> {
  const done: { option: Option; result: LaunchResult }[] = [];
  let left = [...options];
  while (left.length > 0 && !signal.aborted) {
    const pace = (await fleetRow(keeper, fleet))?.pace ?? 1;
    const batch = left.slice(0, pace);
    left = left.slice(pace);
    const results = await Promise.all(batch.map((option) => launchOne(keeper, fleet, option)));
    const round = batch.map((option, index) => ({ option, result: results[index] as LaunchResult }));
    // What a list could not tell from its neighbour waits for it, and goes out alone in the next round.
    const grouped = round.filter(({ result }) => result.kind === "refused" && result.refusal.why === "group");
    const others = round.filter((each) => !grouped.includes(each));
    done.push(...others);
    const good = others.every(({ result }) => result.kind === "claimed") && others.length > 0;
    await setPace(keeper, fleet, good ? (grouped.length > 0 ? 1 : Math.min(pace * 2, MOST_AT_ONCE)) : 1);
    if (!good) return [...done, ...grouped];
    left = [...grouped.map(({ option }) => option), ...left];
  }
  return done;
}

async function launchOne(keeper: Keeper, fleet: string, option: Option): Promise<LaunchResult> {
  const row = await fleetRow(keeper, fleet);
  const wish = parseWish(row?.wish);
  const { offer, provider, location, gpus, pricePerHour } = option;
  return launch(keeper, {
    owner: fleetOwner(fleet),
    offer,
    provider,
    location,
    gpus,
    pricePerHour: pricePerHour?.toFixed() ?? null,
    parameters: wish.parameters,
    limits: {
      floor: wish.budget.floor === undefined ? undefined : parseUsd(wish.budget.floor),
      perHour: wish.budget.perHour === undefined ? undefined : parseUsd(wish.budget.perHour),
    },
    full: (draft) => roomFor(draft, fleet, gpus, contextOf(keeper)),
  });
}

async function fleetRow({ ledger, account }: Keeper, name: string): Promise<FleetRow | undefined> {
  return (await ledger.read(account)).fleets.find((fleet) => fleet.name === name);
}

async function setPace({ ledger, account }: Keeper, name: string, pace: number): Promise<void> {
  await ledger.decide(account, (draft) => {
    const fleet = draft.fleets.get(name);
    if (fleet && fleet.pace !== pace) draft.putFleet({ ...fleet, pace });
  });
}

/** Keeps why a count is not reached, for status, page and provider; written only when it changes. */
async function storeReasons(
  { ledger, account }: Keeper,
  plans: readonly FleetPlan[],
  launched: TickReport["launched"],
): Promise<void> {
  await ledger.decide(account, (draft) => {
    for (const { fleet: name, reasons } of plans) {
      const fleet = draft.fleets.get(name);
      const all = [
        ...reasons,
        ...launched.filter((each) => each.fleet === name).flatMap(({ result }) => reasonOf(result)),
      ];
      const unique = [...new Set(all)];
      if (fleet && unique.join("\n") !== fleet.reasons.join("\n"))
        draft.putFleet({ ...fleet, reasons: unique });
    }
  });
}

function reasonOf(result: LaunchResult): readonly string[] {
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

function soonest(plans: readonly FleetPlan[], launched: TickReport["launched"], poll: number): number {
  const wakes = plans.map(({ wake }) => wake ?? poll);
  // A refused combination may have left others that fit: they are planned anew at once.
  const again = launched.some(({ result }) => result.kind === "cooling" || result.kind === "rejected");
  return Math.min(poll, again ? 0 : poll, ...wakes);
}
