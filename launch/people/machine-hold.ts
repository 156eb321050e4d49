import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { isHeld, machineHoldText } from "../facts/machine-hold.ts";

/** A hold that is forgotten bills: who needs a machine for longer says so again. */
export const LONGEST_HOLD_MS = 30 * DAY_MS;

/** Holds a machine until `until`, wall time in ms; a later call says it anew. Throws CONFIG if it is not certainly ours, or ends. */
export function holdMachine(
  draft: Draft,
  id: string,
  until: number,
  why: string | undefined,
  context: Context,
): DeploymentRow {
  const row = machineOf(draft, id);
  const problem = whyNotHeld(row);
  if (problem !== undefined) throw new FleetkeeperError("CONFIG", `${id} cannot be held: ${problem}`);
  const held = { ...row, hold: { until, ...(why === undefined ? {} : { why }) } };
  draft.putDeployment(held);
  const about = { owner: row.owner, deployment: id };
  note(draft, context, "keptBack", `${id} is ${machineHoldText(held, context.now)} by an operator`, about);
  return held;
}

/** From now on it is stopped as any other. */
export function releaseMachine(draft: Draft, id: string, context: Context): "free" | "notHeld" {
  const row = machineOf(draft, id);
  if (!isHeld(row, context.now)) return "notHeld";
  const { hold: _over, ...free } = row;
  draft.putDeployment(free);
  note(draft, context, "keptBack", `${id} was released by an operator`, { owner: row.owner, deployment: id });
  return "free";
}

function machineOf(draft: Draft, id: string): DeploymentRow {
  const row = draft.deployments.ever(id);
  if (row) return row;
  throw new FleetkeeperError("CONFIG", `${id}: no list of this account ever showed such a deployment.`);
}

function whyNotHeld({ id, claim, end, stop, status }: DeploymentRow): string | undefined {
  if (end !== null) return `it has ended (${status}).`;
  if (claim !== "certain")
    return `it is not certainly ours, and nothing here stops it. If it is yours: fleetkeeper adopt ${id} first.`;
  if (stop !== null) return `it is being stopped already (${stop.why}).`;
  return undefined;
}
