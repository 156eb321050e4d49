import { planHolds } from "../../../launch/admit/holds.ts";
import { groupNow, openInGroup } from "../../../launch/claim/open-in-group.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import { unresolvedOf } from "../../../launch/facts/occupancy.ts";
import { doubtsOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow, IntentRow, OfferedRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { ZERO_USD } from "../../../service/contract/money.ts";
import { remainingBudgetOf } from "../../fleet/money/remaining-budget.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { mostOfWhole } from "../../fleet/phase/part.ts";
import { limitsOf, parseWish } from "../../fleet/wish/wish.ts";
import { choose } from "../choices/options.ts";
import { growthOf } from "../choices/placement.ts";
import { count } from "../count/count.ts";
import { knownOffers } from "../count/known-prices.ts";
import { wishInForce } from "../count/wish-in-force.ts";
import { CHOSEN_POLLS, FLEET_RULES } from "../holds/fleet-holds.ts";
import { mixesUpTo, type Option } from "../mix/mix.ts";
import { atHome, whyBlind, whyPatient } from "../moves/launch.ts";
import type { PlanningInputs } from "../told/fleet-plan.ts";

/**
 * What a part could have more now, and at which price an hour, for whoever chooses among the parts. All that holds launches
 * here counts but its own share of the whole: that is what is being chosen.
 */
export function offeredBy(
  draft: Draft,
  fleet: FleetRow,
  inputs: PlanningInputs,
  context: Context,
): OfferedRow {
  const { can, offers, offersProblem } = inputs;
  const nothing: OfferedRow = { at: context.now.wall, costs: [], sizes: [] };
  const without = (hold: Hold | undefined): OfferedRow => (hold ? { ...nothing, hold } : nothing);
  const { part } = fleet;
  if (!part || part.leaving || fleetPhase(draft, fleet, context).kind !== "kept") return nothing;
  const wish = wishInForce(draft, fleet, context);
  const owner = fleetOwner(fleet.name);
  const { perGpuHour, floor } = limitsOf(wish);
  const holds = planHolds(draft, { owner, limits: { perGpuHour, floor }, rules: FLEET_RULES }, context);
  const held = holds.find(({ kind }) => kind !== "choosing") ?? whyBlind(wish, { can, offersProblem });
  if (held) return without(held);
  const known = knownOffers(doubtsOf(draft, context.wire.profileHash), offers);
  const choice = choose(draft, owner, wish, known, context);
  const growth = growthOf(draft, wish, count(draft, fleet, context));
  if (choice.hold || growth.hold) return without(choice.hold ?? growth.hold);
  const { ready, avoided, waiting, soldOut, blocks, unfit } = atHome(choice, growth);
  const priced = [...ready, ...avoided].filter(({ pricePerHour }) => pricePerHour !== undefined);
  // It may wait for minutes, as after an agent that died, and others have what is missing.
  const openFor = (option: Option): IntentRow | undefined => {
    const open = openInGroup(draft, groupNow(draft, { ...option, id: "" }, context));
    return open && elapsed(open.stamped, context.now) > context.settings.poll ? open : undefined;
  };
  const now = priced.filter((option) => !openFor(option));
  const open = priced.map(openFor).find(Boolean);
  const beside = open && hold("group", { open: combinationText(open) });
  const all = [...priced, ...waiting.map(({ option }) => option), ...soldOut];
  const cost = remainingBudgetOf(
    draft,
    owner,
    { ...wish, budget: { floor: wish.budget.floor } },
    context,
  )?.usd;
  // More than is missing just now: until the parts choose, others may be lost.
  const { overshoot } = parseWish(part.whole);
  const gpus = mostOfWhole(part);
  const gone = soldOut.length === 0 ? undefined : hold("soldOut", { gpus: part.short ?? gpus });
  const dearer = whyPatient({ draft, fleet, wish, inputs, context });
  const why = [beside, dearer, ...unfit, ...[...waiting, ...blocks].map((each) => each.hold), gone].find(
    Boolean,
  );
  return {
    ...(now.length === 0 ? without(why) : nothing),
    costs: mixesUpTo(now, { gpus: gpus + overshoot, cost, spread: growth.spread }).map(costsOf),
    sizes: [...new Set(all.map(({ gpus }) => gpus))].sort((one, other) => one - other),
  };
}

/** What a mix costs. @internal Exported for the bench. */
export function costsOf(mix: readonly Option[]): OfferedRow["costs"][number] {
  const gpus = mix.reduce((sum, each) => sum + each.gpus, 0);
  const price = ({ pricePerHour = ZERO_USD }: Option) => pricePerHour;
  const money = mix.reduce((sum, each) => sum.plus(price(each)), ZERO_USD).toFixed();
  if (mix.every(({ worth = "1" }) => Number(worth) === 1)) return [gpus, money];
  const work = mix.reduce((sum, each) => sum.plus(price(each).div(each.worth ?? 1)), ZERO_USD);
  return [gpus, money, work.round(6).toFixed()];
}

/** Stores what each part could have, where the whole lacks something. */
export function storeOffered(
  draft: Draft,
  inputs: PlanningInputs,
  believed: boolean,
  context: Context,
): void {
  for (const fleet of draft.fleets.values()) {
    const { part } = fleet;
    if (!part?.short || areAwaited(fleet, inputs)) continue;
    const nothing: OfferedRow = { at: context.now.wall, costs: [], sizes: [] };
    const offered = believed ? offeredBy(draft, fleet, inputs, context) : nothing;
    const isBusy = offered.costs.length === 0 && unresolvedOf(draft, fleetOwner(fleet.name)).length > 0;
    // A launch under way holds the next one for seconds: that is no reason to launch where it is dearer.
    if (isBusy && isRecent(part.offered, context)) continue;
    draft.putFleet({ ...fleet, part: { ...part, offered } });
  }
}

/** What a part said lately. Older than that nobody chooses by it. */
export function isRecent(offered: OfferedRow | undefined, context: Context): boolean {
  return offered !== undefined && isRecentMoment(offered.at, context);
}

/** `at`: wall time in ms. */
export function isRecentMoment(at: number, { now, settings }: Context): boolean {
  return now.wall - at <= CHOSEN_POLLS * settings.poll;
}

/** The part or its offers are not known yet: nothing is said rather than that there is nothing. */
function areAwaited({ wish, born }: FleetRow, { can, offers, offersProblem }: PlanningInputs): boolean {
  if (!born) return true;
  return Boolean(parseWish(wish).select && can.offers) && offers === undefined && offersProblem === undefined;
}
