import { hold } from "../../../launch/ends/stop.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { toBeStopped } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { andMore } from "../text/text.ts";
import { fleetPhase } from "./fleet-phase.ts";

/*
 * A stop that the service never accepted is tried for ever, but not while its fleet is paused: the service
 * could answer again an hour later, and a machine would be stopped in spite of the pause. It stays asked for,
 * as a failed call may yet take effect, and goes on after the pause. What a person stops by name does not
 * wait.
 */

/** Writes down which stops wait, and which do so no longer. */
export function storePausedStops(draft: Draft, fleet: FleetRow, context: Context): void {
  const isPaused = fleetPhase(draft, fleet, context).kind === "paused";
  for (const row of toBeStopped(draft, fleetOwner(fleet.name))) hold(draft, row, isPaused, context);
}

export function pausedStopsText(draft: Draft, { name }: FleetRow): readonly string[] {
  const ids = toBeStopped(draft, fleetOwner(name))
    .filter(({ status, stop }) => status !== "stopping" && stop?.planned)
    .map(({ id }) => id);
  if (ids.length === 0) return [];
  return [`the stop of ${andMore(ids)} was asked for before, waits too, and goes on with the fleet`];
}
