import type { Draft } from "../../ledger/draft.ts";
import type { IntentRow } from "../../ledger/rows.ts";
import type { Deployments } from "../../ledger/tables.ts";
import { type Combination, combinationKey } from "../../service/contract/contract.ts";
import { isUnderWay } from "../claim/candidates.ts";
import { isFailedLaunch } from "../ends/failed-launch.ts";
import type { Context } from "../facts/context.ts";

/** True if this launch's outcome is a reason not to send many after it. */
export function wentBadly(
  { deployments }: { readonly deployments: Pick<Deployments, "ever"> },
  { state, deployment }: IntentRow,
): boolean {
  if (state === "open") return false;
  const row = deployment === null ? undefined : deployments.ever(deployment);
  return state !== "claimed" || (row !== undefined && isFailedLaunch(row));
}

/**
 * The launch that tries a combination after a refusal or a failure, while its answer is on its way. Others
 * wait for it. Otherwise each fleet and slot would send one of its own when a cooldown ends.
 */
export function trialUnderWay(
  draft: Draft,
  combination: Combination,
  context: Context,
): IntentRow | undefined {
  const key = combinationKey(combination);
  if (!isOnTrial(draft, key)) return undefined;
  return [...draft.intents.of("state", "open")].findLast(
    (intent) => combinationKey(intent) === key && isUnderWay(intent, context),
  );
}

/** True if the newest launch of this combination that is not open went badly. */
function isOnTrial(draft: Draft, key: string): boolean {
  for (const intent of draft.intents.newest("combination", key))
    if (intent.state !== "open") return wentBadly(draft, intent);
  return false;
}
