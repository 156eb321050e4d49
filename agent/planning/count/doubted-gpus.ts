import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { occupancy } from "../../../launch/facts/occupancy.ts";
import { onceForMachines } from "../../../launch/facts/once-for-machines.ts";
import { isReused } from "../../../launch/machine/reused.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { gpusText } from "../../fleet/text/text.ts";
import { expectedGpus } from "./machine-gpus.ts";

/*
 * A running machine that shows another number of GPUs than was expected counts with the expected number. If
 * the profile reads a wrong number, a lower one would have machine after machine paid for, and a higher one
 * would have good machines stopped as surplus. If the shown number is right, the fleet has too few or too
 * many GPUs until a person says so: that must not be silent.
 */

/** Why each machine with a doubted number may leave the fleet short or too large, and what to do about it. */
export function doubtedGpusText(draft: Draft, fleet: FleetRow, context: Context): readonly string[] {
  return doubted(draft, fleet, context).map(({ row, expected }) => text(fleet, row, expected));
}

/** Tells it once for each machine, and again when the machine shows yet another number. */
export function storeDoubtedGpus(draft: Draft, fleet: FleetRow, context: Context): void {
  for (const { row, expected } of doubted(draft, fleet, context)) {
    if (row.toldGpus === row.gpus) continue;
    draft.putDeployment({ ...row, ...(row.gpus === null ? {} : { toldGpus: row.gpus }) });
    const about = { owner: fleetOwner(fleet.name), deployment: row.id };
    note(draft, context, "otherGpus", text(fleet, row, expected), about);
  }
}

interface Doubted {
  readonly row: DeploymentRow;
  readonly expected: number;
}

function doubted(draft: Draft, { name }: FleetRow, context: Context): readonly Doubted[] {
  return doubtedOf(draft, occupancy(draft, fleetOwner(name), context).machines);
}

const doubtedOf = onceForMachines((launches, machines): readonly Doubted[] =>
  machines.flatMap((row) => {
    const expected = expectedGpus(launches, row);
    const shown = row.gpus ?? 0;
    const isOther = row.status === "running" && shown > 0 && expected > 0 && shown !== expected;
    // Of an id that was given anew a person first says whose it is (rule 8 of docs/how/protocol.md).
    return isOther && row.saidGpus === undefined && !isReused(row) ? [{ row, expected }] : [];
  }),
);

function text({ name }: FleetRow, { id, gpus }: DeploymentRow, expected: number): string {
  return (
    `${id} shows ${gpusText(gpus ?? 0)}, and counts as the ${expected} that were expected: ` +
    `fleetkeeper adopt ${id} --fleet ${name} --gpus COUNT says how many it has. Then correct the candidate's gpus ` +
    `(offers.fields.gpus for a selection), or deployments.fields.gpus in the profile`
  );
}
