import { letGoOn } from "../../../launch/ends/returned.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { FleetPhase } from "../../json/status.ts";
import { fleetPhase } from "./fleet-phase.ts";
import { withPart } from "./part.ts";
import { storePausedStops } from "./paused-stops.ts";

/** An operator's orders for a fleet, beside its declaration. Each returns the phase that follows from it. */

/** What runs is kept, and nothing is launched or stopped, until it is resumed. A deadline still drains it. */
export function pauseFleet(draft: Draft, name: string, context: Context, why?: string): FleetPhase {
  const fleet = fleetNamed(draft, name);
  if (fleet.paused) return fleetPhase(draft, fleet, context);
  const text = `${name} was paused ${why ?? "by an operator"}`;
  note(draft, context, "paused", text, { owner: fleetOwner(name) });
  const paused = draft.putFleet({ ...fleet, paused: true });
  storePausedStops(draft, paused, context);
  return fleetPhase(draft, paused, context);
}

/** Stops everything that certainly is the fleet's, and launches nothing, until it is resumed. */
export function drainFleet(draft: Draft, name: string, context: Context): FleetPhase {
  const fleet = fleetNamed(draft, name);
  if (fleet.drained?.by === "operator") return fleetPhase(draft, fleet, context);
  const drained = { by: "operator", since: context.now.wall, limit: null } as const;
  note(draft, context, "drained", `${name} is drained by an operator`, { owner: fleetOwner(name) });
  const emptied = draft.putFleet({ ...fleet, drained });
  storePausedStops(draft, emptied, context);
  return fleetPhase(draft, emptied, context);
}

/**
 * Moves the share of a part to the fleet's other services. What runs stays until others run in its place, as far as the
 * fleet's surge allows. Nothing is launched there until it is resumed.
 */
export function leavePart(draft: Draft, name: string, context: Context): FleetPhase {
  const fleet = fleetNamed(draft, name);
  const { part } = fleet;
  if (part && !part.leaving) {
    const text = `the share of ${name} moves to the fleet's other services, as an operator drains its service`;
    note(draft, context, "drained", text, { owner: fleetOwner(name) });
    draft.putFleet(withPart(fleet, { ...part, leaving: "operator" }));
  }
  return fleetPhase(draft, fleet, context);
}

/**
 * Takes back a pause, an operator's drain and the pause of an update, and forgives failures and machines that came back from their
 * end, so that launches are tried now. A fleet that was drained at its total may spend what is left of it. No
 * operator can resume a fleet that is declared as paused, is past its deadline or has spent its total.
 */
export function resumeFleet(draft: Draft, name: string, context: Context): FleetPhase {
  const fleet = fleetNamed(draft, name);
  const before = fleet.drained ?? null;
  const wasLeaving = fleet.part?.leaving === "operator";
  const { updating: _under, updateHeld, ...rest } = wasLeaving ? staying(fleet) : fleet;
  const resumed = {
    ...rest,
    paused: false,
    drained: null,
    forgiven: context.now,
    resumed: context.now,
  };
  const stands = fleetPhase(draft, resumed, context);
  // What still drains it was told before, and is no news.
  const goesOn = stands.kind === "drained" && stands.by === before?.by;
  // The stored reasons are over; the next tick writes the new ones.
  const { holds: _over, ...anew } = { ...resumed, reasons: [] };
  storePausedStops(draft, draft.putFleet(goesOn ? { ...resumed, drained: before } : anew), context);
  const wasHeld = letGoOn(draft, (owner) => owner === fleetOwner(name));
  if (fleet.paused || wasLeaving || updateHeld || (before && !goesOn) || wasHeld)
    note(draft, context, "resumed", `${name} was resumed by an operator`, { owner: fleetOwner(name) });
  return stands;
}

function staying(fleet: FleetRow): FleetRow {
  if (!fleet.part) return fleet;
  const { leaving: _left, keeps: _kept, ...part } = fleet.part;
  return withPart(fleet, part);
}

/** Throws CONFIG if there is none, or no more. */
export function fleetNamed(draft: Draft, name: string): FleetRow {
  const fleet = draft.fleets.get(name);
  if (fleet && !fleet.removed) return fleet;
  const names = [...draft.fleets.values()].filter(({ removed }) => !removed).map((each) => each.name);
  throw new FleetkeeperError(
    "CONFIG",
    fleet
      ? `fleet ${name} was removed from its file or stack: what it has is being stopped anyway.`
      : `${name}: no such fleet here; there are: ${names.join(", ") || "none"}.`,
  );
}
