import type { Context } from "../../launch/context.ts";
import { note } from "../../launch/events.ts";
import { occupancy } from "../../launch/occupancy.ts";
import { isReused } from "../../launch/reused.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../ledger/rows.ts";
import { gpusText } from "../fleet/text.ts";
import { expectedGpus } from "./count.ts";

/*
 * A running machine that shows another number of GPUs than was expected counts as what was: if the profile
 * reads the wrong number, to believe a lower one would be to pay for one machine after the other, and to
 * believe a higher one would be to stop good machines as surplus. If it is right, the fleet has too few or
 * too many for as long as nobody says so: that is for a person to decide, and must not be silent.
 */

/** Why each such machine may leave the fleet short or too large, and what to do about it. */
export function doubtedGpusText(draft: Draft, fleet: FleetRow, context: Context): readonly string[] {
  return doubted(draft, fleet, context).map(({ row, expected }) => text(fleet, row, expected));
}

/** Tells it once of each machine, and again where it shows yet another number. */
export function recordDoubtedGpus(draft: Draft, fleet: FleetRow, context: Context): void {
  for (const { row, expected } of doubted(draft, fleet, context)) {
    if (row.toldGpus === row.gpus) continue;
    draft.putDeployment({ ...row, ...(row.gpus === null ? {} : { toldGpus: row.gpus }) });
    const about = { owner: fleetOwner(fleet.name), deployment: row.id };
    note(draft, context, "otherGpus", text(fleet, row, expected), about);
  }
}

function doubted(
  draft: Draft,
  { name }: FleetRow,
  context: Context,
): readonly { readonly row: DeploymentRow; readonly expected: number }[] {
  return occupancy(draft, fleetOwner(name), context).machines.flatMap((row) => {
    const expected = expectedGpus(draft, row);
    const shown = row.gpus ?? 0;
    const isOther = row.status === "running" && shown > 0 && expected > 0 && shown !== expected;
    // Whose one is whose id was given anew is asked first.
    return isOther && row.saidGpus === undefined && !isReused(row) ? [{ row, expected }] : [];
  });
}

function text({ name }: FleetRow, { id, gpus }: DeploymentRow, expected: number): string {
  return (
    `${id} shows ${gpusText(gpus ?? 0)}, and counts as the ${expected} that were expected: ` +
    `fleetkeeper adopt ${id} --fleet ${name} --gpus COUNT says how many it has. Then correct the candidate's gpus ` +
    `(offers.fields.gpus for a selection), or deployments.fields.gpus in the profile`
  );
}
