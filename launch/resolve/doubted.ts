import type { Draft } from "../../ledger/draft.ts";
import { elapsed, MINUTE_MS } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { sentence } from "../ends/failure-advice.ts";
import { isStopSpent } from "../ends/stop.ts";
import type { Context } from "../facts/context.ts";
import { neverShownText } from "./never-shown.ts";

/*
 * A machine that lists lack, and whose GET shows neither it nor that there is none (rule 9 of docs/how/protocol.md): a
 * service that says "no such machine" in words that the profile does not name, or does not prove. It counts and may
 * bill, so nothing is rented in its place, and people are told.
 */

/** From then on people are told: an answer that went wrong once is no news. */
const TOLD_MS = 5 * MINUTE_MS;

function doubtedText(row: DeploymentRow, context: Context): string | undefined {
  const { id, missing, end, owner } = row;
  if (!missing?.doubt || missing.lists < 2 || end !== null || owner === null) return undefined;
  if (elapsed(missing.doubt.since, context.now) < TOLD_MS) return undefined;
  const words = missing.doubt.refused
    ? " If this answer means that there is none, the profile can say so: deployments.get.missing."
    : "";
  const stop = isStopSpent(row, context) ? " Its stop is not repeated before something shows it." : "";
  return (
    `${id} is in no list any more, and its id is answered neither with it nor with a word that it is gone: ${sentence(missing.doubt.why)}${words} ` +
    `It counts as a machine, and may bill. Look in the service's dashboard; fleetkeeper disown ${id} says that it is not there.${stop}`
  );
}

/** What people are told of a machine that counts though nothing shows it, and can do. */
export function unshownText(row: DeploymentRow, context: Context): string | undefined {
  return neverShownText(row, context) ?? doubtedText(row, context);
}

/** Those of them that live, for people. */
export function unshown(draft: Draft, context: Context) {
  return [...draft.deployments.of("presence", "doubted")].flatMap((row) => {
    const text = unshownText(row, context);
    if (text === undefined || row.owner === null) return [];
    return [{ kind: "unshown" as const, text, owner: row.owner, deployment: row.id, row }];
  });
}
