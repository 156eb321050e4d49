import { mayStop } from "../../../launch/ends/stop.ts";
import { machineHoldText } from "../../../launch/facts/machine-hold.ts";
import type { Instant } from "../../../ledger/instant.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { andMore } from "../../fleet/text/text.ts";
import type { Count } from "../count/count.ts";
import { mayBeStopped } from "../machines/scale-down.ts";
import type { FleetPlan, PlanningInputs } from "../told/fleet-plan.ts";

/**
 * Stops what is certainly ours, and says why the rest is not stopped. `endsHolds`: what asks for it, a deadline or a spent
 * total, stops what a person holds, too.
 */
export function stopAll(
  machines: readonly DeploymentRow[],
  why: string,
  { can }: PlanningInputs,
  now: Instant,
  endsHolds = false,
): Pick<FleetPlan, "stops"> & { readonly obstacles: readonly string[] } {
  const free = endsHolds ? machines.map(({ hold: _ended, ...row }) => row) : machines;
  const rows = free.filter((row) => mayBeStopped(row, now));
  const held = new Map(machines.map((row) => [row.id, machineHoldText(row, now)]));
  const whyOf = (id: string): string => {
    const text = held.get(id);
    return text === undefined ? why : `${why}: that ends it, though it was ${text}`;
  };
  const doubtful = machines.filter((row) => row.claim === "inferred");
  return {
    stops: can.stop ? rows.map(({ id }) => ({ id, why: whyOf(id) })) : [],
    obstacles: [
      ...(rows.length > 0 && !can.stop ? [byHand(rows, why)] : []),
      ...heldTexts(free, now),
      ...(doubtful.length > 0
        ? [`${idsOf(doubtful)} may be somebody else's and is not stopped: fleetkeeper adopt or disown`]
        : []),
    ],
  };
}

/** What a person holds of these, and how that ends. */
export function heldTexts(machines: readonly DeploymentRow[], now: Instant): readonly string[] {
  return machines.filter(mayStop).flatMap((row) => {
    const held = machineHoldText(row, now);
    return held === undefined
      ? []
      : [`${row.id} is not stopped: ${held}, or until fleetkeeper release ${row.id}`];
  });
}

export function byHand(rows: readonly DeploymentRow[], why: string): string {
  return `stop ${idsOf(rows)} in the service's dashboard (${why}): the profile has no part "stop"`;
}

export function waitingFor({ machines, intents }: Pick<Count, "machines" | "intents">): string {
  const starting = machines.filter((row) => row.status !== "running");
  const states = Map.groupBy(starting, (row) => row.status);
  const parts = [
    ...[...states].map(([status, rows]) =>
      rows.length === 1 ? `${rows[0]?.id} is ${status}` : `${rows.length} machines are ${status}`,
    ),
    ...intents.map(
      (intent) => `a launch of ${combinationText(intent)} is not resolved yet (${intent.detail})`,
    ),
  ];
  return parts.join("; ");
}

export function idsOf(rows: readonly DeploymentRow[]): string {
  return andMore(rows.map((row) => row.id));
}
