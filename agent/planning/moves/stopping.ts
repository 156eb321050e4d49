import type { DeploymentRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { andMore } from "../../fleet/text.ts";
import type { Count } from "../count.ts";
import type { FleetPlan, PlanningInputs } from "../fleet-plan.ts";
import { stoppable } from "../scale-down.ts";

/** Stops what is certainly ours, and says why the rest is not stopped. */
export function stopAll(
  machines: readonly DeploymentRow[],
  why: string,
  { can }: PlanningInputs,
): Pick<FleetPlan, "stops"> & { readonly obstacles: readonly string[] } {
  const rows = machines.filter(stoppable);
  const doubtful = machines.filter((row) => row.claim === "inferred");
  return {
    stops: can.stop ? rows.map(({ id }) => ({ id, why })) : [],
    obstacles: [
      ...(rows.length > 0 && !can.stop ? [byHand(rows, why)] : []),
      ...(doubtful.length > 0
        ? [`${idsOf(doubtful)} may be somebody else's and is not stopped: fleetkeeper adopt or disown`]
        : []),
    ],
  };
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
