import { livingOf } from "../../../launch/facts/occupancy.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { hasReachedItsEnd } from "../../fleet/phase/fleet-phase.ts";
import type { Move } from "./move.ts";
import { stopAll, waitingFor } from "./stopping.ts";

/** A drained fleet wants nothing: everything that is certainly its is stopped. */
export const drain: Move = {
  alone: true,
  plan: ({ draft, fleet, phase, wish, counted, inputs, context }) => {
    if (phase.kind !== "drained") return undefined;
    const machines = livingOf(draft, fleetOwner(fleet.name));
    // With a beforeStop it is drained before that moment, and a hold lasts until then.
    const isOver = wish.beforeStop === undefined || hasReachedItsEnd(draft, fleet, context);
    const endsHolds = isOver && (phase.by === "deadline" || phase.by === "total");
    const { stops, obstacles } = stopAll(machines, phase.why, inputs, context.now, endsHolds);
    return {
      stops,
      notes: [
        // A removed fleet is gone with its last machine; any other stays, and says why it wants nothing.
        ...(phase.by === "removal" ? [] : [`drained: ${phase.why}`]),
        ...obstacles,
        ...(counted.intents.length > 0 ? [waitingFor({ ...counted, machines: [] })] : []),
      ],
    };
  },
};
