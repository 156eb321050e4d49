import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow, IntentRow, ProfileKnowledge, Tenure } from "../ledger/rows.ts";
import type { Deployment } from "../service/service.ts";
import type { Context } from "./context.ts";
import { knowledgeOf } from "./context.ts";
import { isNoEnd } from "./unnamed-state.ts";

/*
 * Most records of most lists say what they said before, of machines that run or that have ended. Judging one
 * costs more than reading it. So a judgement that changed nothing is remembered with all that it rests on, and
 * is not made again while all of that is the very same. Rows whose judgement rests on time or on the number of
 * lists, too, are judged at each list.
 */

/** What a judgement rests on, beside the row. */
interface Grounds {
  readonly shown: Deployment;
  readonly wire: Context["wire"];
  readonly knowledge: ProfileKnowledge | undefined;
  readonly tenure: Tenure;
  readonly intent: IntentRow | undefined;
}

const judged = new WeakMap<DeploymentRow, Grounds>();

/** True if a list showed the same of this row before, on the same grounds, and that changed nothing. */
export function isJudged(draft: Draft, row: DeploymentRow, shown: Deployment, context: Context): boolean {
  const before = judged.get(row);
  if (before?.shown !== shown) return false;
  const now = groundsOf(draft, row, shown, context);
  return (
    before.wire === now.wire &&
    before.knowledge === now.knowledge &&
    before.tenure === now.tenure &&
    before.intent === now.intent
  );
}

/** Remembers that what a list showed of this row changed nothing. */
export function rememberJudgement(
  draft: Draft,
  row: DeploymentRow,
  shown: Deployment,
  context: Context,
): void {
  if (isSettled(row, shown) && !isNoEnd(row, knowledgeOf(draft, context.wire.profileHash), context))
    judged.set(row, groundsOf(draft, row, shown, context));
}

function groundsOf(draft: Draft, row: DeploymentRow, shown: Deployment, { wire }: Context): Grounds {
  return {
    shown,
    wire,
    knowledge: draft.account.profiles[wire.profileHash],
    tenure: draft.account.tenure,
    intent: row.intent === null ? undefined : draft.intents.get(row.intent),
  };
}

/** True if neither time nor another list like this one changes what follows. */
function isSettled(row: DeploymentRow, shown: Deployment): boolean {
  if (row.status !== shown.status || row.missing !== null || row.returned || shown.flaw !== undefined)
    return false;
  // Its state may be seen to be part of a life. See learnLife in unnamed-state.ts.
  if (row.end === "stopped") return row.young !== true || row.stop !== null || row.stopReason !== null;
  if (row.end !== null) return row.end === row.status && (row.end === "failed" || row.end === "interrupted");
  return row.status === "running" && row.stop === null;
}
