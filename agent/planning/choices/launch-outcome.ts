import { isFailedLaunch } from "../../../launch/ends/failed-launch.ts";
import { wasCooled } from "../../../launch/facts/cooling.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Instant } from "../../../ledger/instant.ts";
import type { IntentRow } from "../../../ledger/rows.ts";
import { unhandled } from "../../../service/contract/errors.ts";

/**
 * The outcome of a launch. `good`: its machine ran. `granted`: there is a machine, and nothing more is known.
 * `lost`: no answer came, so the service has refused nothing. `unsent`: no byte of it reached the service, and
 * the next launch may.
 */
type Outcome = "good" | "granted" | "cooled" | "failed" | "lost" | "unsent";

export interface LaunchOutcome {
  readonly intent: IntentRow;
  readonly outcome: Outcome;
  readonly at: Instant;
}

/** The outcome of a launch, and when it was known; undefined: it says nothing, or not yet. */
export function outcomeOf(draft: Draft, intent: IntentRow): LaunchOutcome | undefined {
  const { state, answer, stamped, resolved } = intent;
  switch (state) {
    case "open":
      return answer !== null && answer.id === null ? outcomeOfUnknown(intent) : undefined;
    case "absent":
      return outcomeOfUnknown(intent);
    case "notSent":
      return { intent, outcome: intent.permanent ? "failed" : "unsent", at: resolved ?? stamped };
    case "rejected":
      return outcomeOfRefusal(intent);
    case "claimed":
      // It was refused, whatever the service made all the same.
      return intent.refusal ? outcomeOfRefusal(intent) : outcomeOfMachine(draft, intent);
    case "disputed":
      return undefined;
    default:
      return unhandled(state);
  }
}

/** A service that answers with an error has said something. A sender that died has heard nothing. */
function outcomeOfUnknown(intent: IntentRow): LaunchOutcome {
  const { answer, stamped } = intent;
  const outcome = answer === null || answer.lost ? "lost" : answer.cooled ? "cooled" : "failed";
  return { intent, outcome, at: answer?.at ?? stamped };
}

/**
 * An older version did not store what refused a launch. With a wait it was no cooldown: those were stored
 * elsewhere. Without a wait it may be one, and a cooldown is no failure: the launch says nothing.
 */
function outcomeOfRefusal(intent: IntentRow): LaunchOutcome | undefined {
  const { refusal, retryAfter, resolved, stamped } = intent;
  if (refusal === undefined && retryAfter === undefined) return undefined;
  return { intent, outcome: wasCooled(intent) ? "cooled" : "failed", at: resolved ?? stamped };
}

function outcomeOfMachine(draft: Draft, intent: IntentRow): LaunchOutcome | undefined {
  const row = intent.deployment === null ? undefined : draft.deployments.ever(intent.deployment);
  if (!row) return undefined;
  // It ran, was paid for, and was of no use.
  if (row.ready?.gaveUp !== undefined)
    return { intent, outcome: "failed", at: row.stop?.asked ?? intent.stamped };
  if (isFailedLaunch(row)) return { intent, outcome: "failed", at: row.ended ?? intent.stamped };
  const lost = row.end === "interrupted" || row.end === "gone";
  const at = intent.resolved ?? intent.stamped;
  // A machine that was not ready yet must not clear the failures before it.
  const isComing = row.setup !== undefined && row.setup.state !== "done" && !row.ready?.ever;
  if ((row.ready?.ever === false || isComing) && !lost) return { intent, outcome: "granted", at };
  // A machine that ran stays good after we stop it: the failures before it must not count again.
  const ran = row.status === "running" || row.ran === true || lost;
  return { intent, outcome: ran ? "good" : "granted", at };
}
