import { askStop, hurryStop, mayStop } from "../../launch/ends/stop.ts";
import { cutHook } from "../../launch/ends/stop-hook.ts";
import type { Context } from "../../launch/facts/context.ts";
import { isPastDeadline } from "../../launch/facts/deadline.ts";
import { setDeadline, toBeJudged } from "../../launch/people/slot.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow, SlotRow } from "../../ledger/rows.ts";
import { drainFleet } from "../fleet/phase/fleet-orders.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";

/** All that bills in an account, and all that may launch more: what an emergency stop looks at. */
export type EmergencyStop = ReturnType<typeof emergencyStop>;

export function emergencyStop(draft: Draft, context: Context) {
  const launches = [...draft.intents.values()].filter(({ state }) => state === "open");
  const living = [...draft.deployments.values()].filter((row) => row.end === null);
  const isDrained = (fleet: FleetRow): boolean =>
    fleet.removed ||
    (fleet.drained?.by === "operator" && fleetPhase(draft, fleet, context).kind === "drained");
  const mayBeFilled = (slot: SlotRow): boolean =>
    !slot.abandoned && !slot.closing && !isPastDeadline(slot, context);
  const machines = living.filter(mayStop);
  const judged = toBeJudged(draft, context.now).filter((row) => !mayStop(row));
  const seeming = living.filter((row) => row.claim === "inferred" && !judged.includes(row));
  return {
    /** Certainly ours, and not ended. */
    machines,
    /** Launches whose outcome is not known: what they made is stopped once it shows. */
    launches,
    /** Fleets that would launch again. */
    fleets: [...draft.fleets.values()].filter((fleet) => !isDrained(fleet)),
    /** Slots of Pulumi deployments: a `pulumi up` that waits may fill one at any moment. */
    slots: [...draft.slots.values()].filter(mayBeFilled),
    /** Machines that may be a stranger's, or that nobody here answers for: never stopped, always reported. */
    doubtful: [...judged, ...seeming].sort((one, other) => one.sequence - other.sequence),
  };
}

const EVERYTHING = "an operator stopped everything";

/**
 * Asks to stop all that is certainly ours, drains the fleets and ends the slots, so that nothing is launched
 * again. Call it with each new list until nothing is left: a launch on its way shows up later. Twice is no
 * harm.
 */
export function orderEmergencyStop(draft: Draft, context: Context): EmergencyStop {
  const { machines, fleets, slots } = emergencyStop(draft, context);
  for (const { name } of fleets) drainFleet(draft, name, context);
  for (const { id } of slots) setDeadline(draft, id, context.now.wall, context);
  for (const { id } of machines) {
    askStop(draft, id, EVERYTHING, context, "for good", true);
    cutHook(draft, id, EVERYTHING, context);
  }
  return emergencyStop(draft, context);
}

/** Orders the emergency stop where somebody waits for it: each next call is due at once. */
export function stopEverything(draft: Draft, context: Context): EmergencyStop {
  const ordered = orderEmergencyStop(draft, context);
  for (const { id } of ordered.machines) hurryStop(draft, id);
  return ordered;
}
