import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { note } from "../facts/events.ts";

/** This many ends without a reason are no chance. */
const DOUBTFUL_ENDS = 2;
const WITHIN_MS = HOUR_MS;

/**
 * A profile may call a state terminal that is none, say the service's word for running. Each machine would
 * then end while it bills, and be replaced for ever. So launches halt when machines of ours end one after the
 * other in a state that only the profile calls an end, with no stop and no reason from the service.
 */
export function doubtEnd(draft: Draft, row: DeploymentRow, context: Context): void {
  if (!isDoubtful(row, context)) return;
  const profile = context.wire.profileHash;
  const ends = [...draft.deployments.values()].filter(
    (each) => isDoubtful(each, context) && each.ended && elapsed(each.ended, context.now) < WITHIN_MS,
  );
  if (ends.length < DOUBTFUL_ENDS || knowledgeOf(draft, profile).halted) return;
  const reason =
    `${ends.map(({ id }) => id).join(" and ")} went to the state ${JSON.stringify(row.status)}, which the profile calls terminal, though nobody ` +
    "stopped them. If they run, they bill: check deployments.states.terminal in the profile, then: fleetkeeper resume";
  learn(draft, profile, { halted: { reason, id: null } });
  note(draft, context, "halted", reason, { owner: row.owner });
}

function isDoubtful(row: DeploymentRow, { wire }: Context): boolean {
  return (
    (row.claim === "certain" || row.claim === "inferred") &&
    row.end === "stopped" &&
    row.stop === null &&
    row.stopReason === null &&
    row.stoppingSeen !== true &&
    wire.isTerminal(row.status)
  );
}
