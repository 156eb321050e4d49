import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { DeploymentRow, Stay } from "../../ledger/rows.ts";
import { isFailedLaunch } from "./failed-launch.ts";

/** How long a machine was there, and what came of it. Undefined: nobody here launched it. */
export function stayOf(draft: Draft, row: DeploymentRow, now: Instant): Stay | undefined {
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  if (!intent) return undefined;
  const { offer, provider, location, stamped } = intent;
  const until = (row.end === null ? now : (row.ended ?? now)).wall;
  return {
    ...{ offer, provider, location },
    from: Math.min(stamped.wall, until),
    until,
    end: endOf(row),
    ...(row.toRun !== undefined && { toRun: row.toRun }),
  };
}

function endOf(row: DeploymentRow): Stay["end"] {
  const { end, ran, stop } = row;
  if (end === null) return "none";
  if (isFailedLaunch(row) && !ran) return "failed";
  const isAsked = stop !== null && (stop.accepted || stop.attempts > 0);
  return end === "stopped" || isAsked ? "stopped" : "lost";
}
