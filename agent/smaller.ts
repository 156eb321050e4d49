import type { Context } from "../launch/context.ts";
import { note } from "../launch/events.ts";
import { occupancy } from "../launch/occupancy.ts";
import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow, FleetRow } from "../ledger/rows.ts";
import { expectedGpus } from "./count.ts";
import { fleetOwner } from "./owner.ts";
import { gpusText } from "./text.ts";

/*
 * A running machine that shows fewer GPUs than were expected counts as what was: if the profile reads the
 * wrong number, to believe it would be to pay for one machine after the other. If it is right, the fleet has too few for
 * as long as nobody says so: that is for a person to decide, and must not be silent.
 */

/** Why each such machine may leave the fleet short, and what to do about it. */
export function smallerText(draft: Draft, fleet: FleetRow, context: Context): readonly string[] {
  return smaller(draft, fleet, context).map(({ row, expected }) => text(fleet, row, expected));
}

/** Tells it once of each machine, and again where it shows yet another number. */
export function recordSmaller(draft: Draft, fleet: FleetRow, context: Context): void {
  for (const { row, expected } of smaller(draft, fleet, context)) {
    if (row.toldGpus === row.gpus) continue;
    draft.putDeployment({ ...row, ...(row.gpus === null ? {} : { toldGpus: row.gpus }) });
    const about = { owner: fleetOwner(fleet.name), deployment: row.id };
    note(draft, context, "smaller", text(fleet, row, expected), about);
  }
}

function smaller(
  draft: Draft,
  { name }: FleetRow,
  context: Context,
): readonly { readonly row: DeploymentRow; readonly expected: number }[] {
  return occupancy(draft, fleetOwner(name), context).machines.flatMap((row) => {
    const expected = expectedGpus(draft, row);
    const shown = row.gpus ?? 0;
    const isSmaller = row.status === "running" && shown > 0 && shown < expected;
    return isSmaller && row.saidGpus === undefined ? [{ row, expected }] : [];
  });
}

function text({ name }: FleetRow, { id, gpus }: DeploymentRow, expected: number): string {
  return (
    `${id} shows ${gpusText(gpus ?? 0)}, and counts as the ${expected} that were expected: ` +
    `fleetkeeper adopt ${id} --fleet ${name} --gpus COUNT says how many it has. Then correct the candidate's gpus ` +
    `(offers.fields.gpus for a selection), or deployments.fields.gpus in the profile`
  );
}
