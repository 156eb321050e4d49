import { wasCooled } from "../../launch/cooling.ts";
import { isFailedLaunch } from "../../launch/failed-launch.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { IntentRow } from "../../ledger/rows.ts";
import { unhandled } from "../../service/errors.ts";

/** What a launch came to. `unsent`: no byte of it reached the service, and the next one may. */
type Verdict = "good" | "cooled" | "failed" | "unsent";

export interface Judged {
  readonly intent: IntentRow;
  readonly verdict: Verdict;
  readonly at: Instant;
}

/** How a launch went, and when that was known. Undefined: it does not say anything (yet). */
export function judge(draft: Draft, intent: IntentRow): Judged | undefined {
  const { state, answer, stamped, resolved } = intent;
  switch (state) {
    case "open":
      return answer !== null && answer.id === null ? { intent, verdict: "failed", at: answer.at } : undefined;
    case "absent":
      return { intent, verdict: "failed", at: answer?.at ?? stamped };
    case "notSent":
      return { intent, verdict: intent.permanent ? "failed" : "unsent", at: resolved ?? stamped };
    case "rejected":
      return judgeRefusal(intent);
    case "claimed":
      return judgeMachine(draft, intent);
    case "disputed":
      return undefined;
    default:
      return unhandled(state);
  }
}

/**
 * An older version did not write down what refused a launch. One that asked for a wait was no cooldown, for
 * that was stored elsewhere; of any other nobody knows, and a cooldown must not count as a failure: its wait
 * is in the combination's row.
 */
function judgeRefusal(intent: IntentRow): Judged | undefined {
  const { refusal, retryAfter, resolved, stamped } = intent;
  if (refusal === undefined && retryAfter === undefined) return undefined;
  return { intent, verdict: wasCooled(intent) ? "cooled" : "failed", at: resolved ?? stamped };
}

function judgeMachine(draft: Draft, intent: IntentRow): Judged | undefined {
  const row = intent.deployment === null ? undefined : draft.deployments.get(intent.deployment);
  if (!row) return undefined;
  // It ran, was paid for, and was of no use.
  if (row.ready?.gaveUp !== undefined)
    return { intent, verdict: "failed", at: row.stop?.asked ?? intent.stamped };
  if (isFailedLaunch(row)) return { intent, verdict: "failed", at: row.ended ?? intent.stamped };
  const lost = row.end === "interrupted" || row.end === "gone";
  // One that is only on its way must not clear the failures before it.
  if (row.ready?.ever === false && !lost) return undefined;
  // Stopped by us it is no worse: what failed before it must not count again.
  const ran = row.status === "running" || row.ran === true || lost;
  return ran ? { intent, verdict: "good", at: intent.resolved ?? intent.stamped } : undefined;
}
