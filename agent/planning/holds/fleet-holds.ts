import { whyFleetForgotten } from "../../../launch/admit/forgotten-launch.ts";
import type { Launch, Owned, Rule } from "../../../launch/admit/rule.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import type { FleetRow, PartRow } from "../../../ledger/rows.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { isPastItsWindow } from "../../fleet/size/whole-size.ts";
import { rangeOf } from "../../fleet/wish/size-range.ts";
import { parseWish } from "../../fleet/wish/wish.ts";
import { whyMisplaced } from "../choices/placement.ts";
import { whyChurned } from "../count/churn.ts";
import { roomFor, whyUncounted } from "../count/count.ts";
import { whyGivenBack } from "./all-or-nothing.ts";
import { whyOtherGangFirst } from "./gang-admission.ts";

type Ask<T> = (draft: Draft, fleet: FleetRow, of: T, context: Context) => Hold | undefined;

/** A rule of the fleet that owns the launch. One that is gone launches nothing. */
function ofFleet<T extends Owned>(ask: Ask<T>) {
  return (draft: Draft, of: T, context: Context): Hold | undefined => {
    const fleet = draft.fleets.get(ownerParts(of.owner).name);
    return fleet ? ask(draft, fleet, of, context) : hold("closed", { why: "there is no such fleet" });
  };
}

/** The rules of a fleet, in the order in which they matter: see launch/admit/holds.ts. */
export const FLEET_RULES: readonly Rule[] = [
  { from: "plan", to: "send", ask: ofFleet(whyClosed) },
  { from: "plan", to: "send", ask: ofFleet((_, { born }) => (born ? undefined : hold("unborn", {}))) },
  { from: "plan", to: "admit", ask: ofFleet(whyUnchosen) },
  { from: "plan", to: "send", ask: ofFleet(whyUnfilled) },
  {
    from: "plan",
    to: "send",
    ask: ofFleet((draft, fleet, _, context) => whyUncounted(draft, fleet, context)),
  },
  {
    from: "plan",
    to: "send",
    ask: ofFleet((draft, fleet, _, context) => whyGivenBack(draft, fleet, context)),
  },
  { from: "plan", to: "send", ask: ofFleet((draft, fleet, _, context) => whyChurned(draft, fleet, context)) },
  {
    from: "plan",
    to: "send",
    ask: ofFleet((draft, _fleet, _, context) => whyFleetForgotten(draft, context)),
  },
  { from: "admit", to: "send", ask: ofFleet(whyChanged) },
  { from: "admit", to: "send", ask: ofFleet<Launch>(whyAskedNoMore) },
  // These count what is under way, this launch among it.
  { from: "admit", to: "admit", ask: ofFleet<Launch>(whyOtherGangFirst) },
  { from: "admit", to: "admit", ask: ofFleet<Launch>(roomFor) },
  { from: "admit", to: "admit", ask: ofFleet<Launch>(whyMisplaced) },
];

function whyClosed(draft: Draft, fleet: FleetRow, _: unknown, context: Context): Hold | undefined {
  const stands = fleetPhase(draft, fleet, context);
  return stands.kind === "kept" ? undefined : hold("closed", { why: stands.why });
}

/** A part launches only where it was chosen just now: what was cheapest there an hour ago may be dear. */
function whyUnchosen(_draft: Draft, { part }: FleetRow, _: unknown, context: Context): Hold | undefined {
  if (!part) return undefined;
  if (part.leaving) return hold("leaving", {});
  return isChosen(part, context) ? undefined : hold("choosing", {});
}

export function isChosen(part: PartRow, { now, settings }: Context): boolean {
  const { chosen, awaits } = part;
  const isLate = chosen !== undefined && now.wall - chosen > CHOSEN_POLLS * settings.poll;
  return chosen !== undefined && !isLate && !awaits && !isPastItsWindow(part, chosen, { now });
}

/** Polls for which a choice among the parts of a fleet counts. */
export const CHOSEN_POLLS = 3;

function whyUnfilled(_draft: Draft, { wish }: FleetRow, _: unknown, { wire }: Context): Hold | undefined {
  const { parameters: given } = parseWish(wish);
  const names = wire.abilities.parameters?.filter((name) => !Object.hasOwn(given, name)) ?? [];
  return names.length === 0 ? undefined : hold("parameters", { names: names.join(", ") });
}

/**
 * A launch may wait long for its turn. What was chosen for an older wish may be dearer than the present one
 * allows, or another machine than it asks for.
 */
function whyChanged(_: Draft, { wish }: FleetRow, { asked }: Launch): Hold | undefined {
  return JSON.stringify(parseWish(wish)) === JSON.stringify(asked) ? undefined : hold("changed", {});
}

/** In the last look the launch itself counts: what it was written for may be asked for no more. */
function whyAskedNoMore(draft: Draft, fleet: FleetRow, _: Launch, context: Context): Hold | undefined {
  const { part } = fleet;
  if (part?.chosen !== undefined && isPastItsWindow(part, part.chosen, context)) return hold("choosing", {});
  return rangeOf(parseWish(fleet.wish)) && roomFor(draft, fleet, { gpus: 0 }, context);
}
