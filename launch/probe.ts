import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow, IntentRow } from "../ledger/rows.ts";
import type { Combination } from "../service/contract.ts";
import { combinationKey } from "../service/contract.ts";
import type { Context } from "./context.ts";
import { isFailedLaunch } from "./failed-launch.ts";

/** True if this launch's outcome is a reason not to send many after it. */
export function wentBadly(
  { deployments }: { readonly deployments: ReadonlyMap<string, DeploymentRow> },
  { state, deployment }: IntentRow,
): boolean {
  if (state === "open") return false;
  const row = deployment === null ? undefined : deployments.get(deployment);
  return state !== "claimed" || (row !== undefined && isFailedLaunch(row));
}

/**
 * The launch that tries a combination after a refusal or a failure, while its answer is on its way. Others
 * wait for it. Otherwise each fleet and slot would send one of its own when a cooldown ends.
 */
export function probeUnderWay(
  draft: Draft,
  combination: Combination,
  context: Context,
): IntentRow | undefined {
  const key = combinationKey(combination);
  const launches = [...draft.intents.values()].filter((intent) => combinationKey(intent) === key).reverse();
  const newest = launches.find(({ state }) => state !== "open");
  if (!newest || !wentBadly(draft, newest)) return undefined;
  return launches.find(
    ({ state, answer, sender }) => state === "open" && answer === null && context.isAlive(sender),
  );
}
