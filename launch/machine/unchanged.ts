import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { createMemory } from "../../service/same/memory.ts";
import { isNoEnd } from "../ends/unnamed-state.ts";
import { type Context, knowledgeOf } from "../facts/context.ts";

/*
 * Most records of most lists say what they said before, of machines that run or that have ended. Judging one
 * costs more than reading it. So a judgement that changed nothing is remembered with all that it rests on, and
 * is not made again while all of that is the very same. Rows whose judgement rests on time or on the number of
 * lists, too, are judged at each list.
 */

const judged = createMemory<DeploymentRow, true>();

/** True if a list showed the same of this row before, on the same grounds, and that changed nothing. */
export function isJudged(draft: Draft, row: DeploymentRow, shown: Deployment, context: Context): boolean {
  return judged.known(row, groundsOf(draft, row, shown, context)) === true;
}

/** Remembers that what a list showed of this row changed nothing. */
export function rememberJudgement(
  draft: Draft,
  row: DeploymentRow,
  shown: Deployment,
  context: Context,
): void {
  if (isSettled(row, shown) && !isNoEnd(row, knowledgeOf(draft, context.wire.profileHash), context))
    judged.keep(row, groundsOf(draft, row, shown, context), true);
}

/** What a judgement rests on, beside the row. */
function groundsOf(
  draft: Draft,
  row: DeploymentRow,
  shown: Deployment,
  { wire }: Context,
): readonly unknown[] {
  const { account, intents } = draft;
  const intent = row.intent === null ? undefined : intents.ever(row.intent);
  return [shown, wire, account.profiles[wire.profileHash], account.tenure, intent];
}

/** True if neither time nor another list like this one changes what follows. */
function isSettled(row: DeploymentRow, shown: Deployment): boolean {
  if (row.status !== shown.status || row.missing !== null || row.returned || shown.flaw !== undefined)
    return false;
  // Its state may be seen to be part of a life. See learnLife in ends/unnamed-state.ts.
  if (row.end === "stopped") return row.young !== true || row.stop !== null || row.stopReason !== null;
  if (row.end !== null) return row.end === row.status && (row.end === "failed" || row.end === "interrupted");
  return row.status === "running" && row.stop === null;
}
