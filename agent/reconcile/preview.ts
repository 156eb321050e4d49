import { admit } from "../../launch/admit/admit.ts";
import { claim } from "../../launch/claim/claim.ts";
import type { Context } from "../../launch/facts/context.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { storeObservation } from "../../launch/machine/store-observation.ts";
import { settleDoubts } from "../../launch/money/price-doubt.ts";
import { glance } from "../../launch/protocol.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";
import { scratchDraft } from "../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { type Declared, declareAll } from "../fleet/declare/declare-all.ts";
import type { FleetFile } from "../fleet/file/fleet-file.ts";
import { homesElsewhere } from "../fleet/file/home.ts";
import { checkDoubts, doubtText } from "../fleet/phase/check-doubts.ts";
import { asWhole } from "../fleet/size/asked-size.ts";
import { type Measured, storeMeasured } from "../fleet/size/metric.ts";
import { askFacts, askText } from "../fleet/size/person-ask.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import { storeMove } from "../planning/count/improving.ts";
import { wishInForce } from "../planning/count/wish-in-force.ts";
import { storeAttempt } from "../planning/holds/all-or-nothing.ts";
import { foreseeAdoption } from "../planning/machines/initial-adoption.ts";
import { storeUpdate } from "../planning/machines/updating.ts";
import { hasFloor } from "../planning/needs-balance.ts";
import { needsOffers, plansOf } from "../planning/plan.ts";
import { boundOf } from "../planning/told/bound.ts";
import { fleetCosts } from "../planning/told/costs.ts";
import { type FleetPlan, type PlanningInputs, type PricedPlan, told } from "../planning/told/fleet-plan.ts";
import { nobodysOf, takesOf } from "../planning/told/takes.ts";
import { storeWork } from "../planning/work/work.ts";
import { InFlight } from "./in-flight.ts";
import { launchWish } from "./launch-fleet.ts";
import { FRESH_SHARE } from "./read-service.ts";
import { SideReads } from "./side-reads.ts";

export interface Preview {
  /** False: the list was distrusted; a tick would do nothing. */
  readonly believed: boolean;
  readonly plans: readonly PricedPlan[];
}

/** What is known of a file beside the service. */
export interface Foreseen {
  /** What the metrics of its fleets say now. */
  readonly measured?: ReadonlyMap<string, Measured>;
}

/** What was read of one account, on a draft that is never stored. */
export interface PreviewInput {
  readonly keeper: Keeper;
  readonly declared: (Declared & Foreseen) | undefined;
  readonly draft: Draft;
  readonly inputs: PlanningInputs;
  /** False: the list was distrusted. */
  readonly believed: boolean;
  /** What nobody answered for in it. */
  readonly nobodys: ReadonlySet<string>;
  /** Of the moment when it was read: what is planned later must not find its list too old. */
  readonly context: Context;
}

/**
 * What the next ticks would do if this were declared. A fresh list is read and stored; the declaration is not
 * stored, and only reads are sent.
 */
export async function preview(
  keeper: Keeper,
  file: (Declared & Partial<FleetFile> & Foreseen) | undefined,
  signal: AbortSignal,
): Promise<Preview> {
  const looked = await readInput(keeper, file, signal);
  return { believed: looked.believed, plans: admittedOf(looked, plansIn(looked)) };
}

export function plansIn({ draft, inputs, believed, context }: PreviewInput): readonly FleetPlan[] {
  // Parts of a fleet in several services may lack more by now than when it was read.
  foreseeAdoption(draft, inputs.offers, context);
  return plansOf(draft, inputs, believed, context);
}

/** What of these plans would be admitted, one after the other. */
export function admittedOf(looked: PreviewInput, plans: readonly FleetPlan[]): readonly PricedPlan[] {
  return plans.map((each) => withCosts(looked, withDoubts(looked, withRefusals(looked, each))));
}

/** Reads what a plan is made of, as if this were declared, or ordered. */
export async function readInput(
  keeper: Keeper,
  file: (Declared & Partial<FleetFile> & Foreseen) | undefined,
  signal: AbortSignal,
  ordered: (draft: Draft) => void = () => undefined,
): Promise<PreviewInput> {
  const { clock, settings } = keeper;
  const declared = file && { ...file, homesElsewhere: await homesElsewhere(keeper, file) };
  const begun = clock.now();
  const first = await glance(keeper, signal);
  const before = await scratchDraft(keeper);
  const stored = new Set([...before.fleets.values()].map(({ name }) => name));
  if (declared) declareIn(before, declared, contextOf(keeper));
  ordered(before);
  for (const { name } of before.fleets.values()) if (!stored.has(name)) await refuseTaken(keeper, name);
  const chooses = [...before.fleets.values()].some(({ wish }) => parseWish(wish).select !== undefined);
  const wanted = {
    offers: chooses || needsOffers(before, contextOf(keeper)),
    balance: [...before.fleets.values()].some((fleet) => hasFloor(before, fleet, contextOf(keeper))),
  };
  const reads = new SideReads(new InFlight(() => undefined));
  const inputs = await reads.inputs(keeper, wanted, undefined, signal);
  // An agent does not wait for side reads: here, too, they must not make the list too old to launch from.
  const isOld = elapsed(begun, clock.now()) > settings.poll * FRESH_SHARE;
  const believed = isOld ? await glance(keeper, signal) : first;
  const draft = await scratchDraft(keeper);
  if (declared) declareIn(draft, declared, contextOf(keeper));
  ordered(draft);
  settleDoubts(draft, inputs.offers, contextOf(keeper));
  const nobodys = nobodysOf(draft);
  foreseeAdoption(draft, inputs.offers, contextOf(keeper));
  if (believed)
    for (const fleet of draft.fleets.values()) {
      storeAttempt(draft, fleet, contextOf(keeper));
      storeWork(draft, draft.fleets.get(fleet.name) ?? fleet, inputs.offers, contextOf(keeper));
    }
  return { keeper, declared, draft, inputs, believed, nobodys, context: contextOf(keeper) };
}

function declareIn(draft: Draft, declared: Declared & Foreseen, context: Context): void {
  declareAll(draft, declared, context);
  for (const [name, measured] of declared.measured ?? [])
    storeMeasured(draft, name, measured, context.now, context);
}

/** Throws WRONG_ACCOUNT for a name that the ledger would refuse. */
async function refuseTaken({ ledger, account }: Keeper, name: string): Promise<void> {
  const owner = await ledger.accountOfFleet(name);
  if (owner === undefined || owner === account) return;
  throw new FleetkeeperError(
    "WRONG_ACCOUNT",
    `fleet ${name}: another account (${owner}) has a fleet of this name in the ledger ${ledger.location}, and a name is one account's for ` +
      "good. Write it under the service that it was made with; or choose another name.",
  );
}

/** Says what of the declaration can never do what it says: an agent tells it once, when it declares it. */
function withDoubts({ declared, draft, context }: PreviewInput, planned: FleetPlan): FleetPlan {
  const { wish } = declared?.fleets.find(({ name }) => name === planned.fleet) ?? {};
  const doubts = wish ? checkDoubts(wish, context) : [];
  const measured = declared?.measured?.get(planned.fleet);
  const row = draft.fleets.get(planned.fleet);
  const ask = row && askFacts(asWhole(row), context);
  const asks = ask ? [askText(planned.fleet, ask)] : [];
  const value = measured?.kind === "value" ? [`the metric says ${measured.value} now`] : [];
  return told(
    { ...planned, notes: [...planned.notes, ...value, ...asks, ...doubts.map(doubtText)] },
    context,
  );
}

/** What was admitted counts as if it were there. */
function withCosts({ draft, nobodys, context }: PreviewInput, planned: FleetPlan): PricedPlan {
  const row = draft.fleets.get(planned.fleet);
  if (!row) throw new FleetkeeperError("INTERNAL", `fleet ${planned.fleet} has a plan, and is not there`);
  return {
    ...planned,
    takes: takesOf(draft, planned.fleet, nobodys, context),
    costs: fleetCosts(draft, planned.fleet, planned.stops),
    most: boundOf(draft, row, context),
  };
}

/** Asks for each planned launch whether it would be admitted, on a draft that is never stored. */
function withRefusals({ keeper, draft, context }: PreviewInput, planned: FleetPlan): FleetPlan {
  const row = draft.fleets.get(planned.fleet);
  if (!row) return planned;
  // A move that begins may launch ahead.
  if (planned.move) storeMove(draft, planned.fleet, planned.move, context);
  if (planned.update) storeUpdate(draft, planned.fleet, planned.update, context);
  const [wish, inForce] = [parseWish(row.wish), wishInForce(draft, row, context)];
  const holds = [...planned.holds];
  const launches = planned.launches.filter(({ option }) => {
    const fresh = { id: keeper.newId(), ledger: keeper.ledger.id, sender: keeper.clock.self };
    const asked = launchWish(planned.fleet, wish, option, inForce);
    const admission = admit(draft, asked, context, fresh);
    if ("refused" in admission) {
      holds.push(...admission.refused);
      return false;
    }
    // As if it had been granted: what comes after it has that much less room and money.
    const { intent } = admission;
    const row = storeObservation(
      draft,
      { id: intent.id, status: "initializing" },
      { by: "launch", asked: null },
      context,
    );
    claim(draft, intent, row, "certain", context);
    return true;
  });
  return told({ ...planned, launches, holds }, context);
}
