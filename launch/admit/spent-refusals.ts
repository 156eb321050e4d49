import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS } from "../../ledger/instant.ts";
import type { IntentRow } from "../../ledger/rows.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { mayHaveMade } from "../claim/candidates.ts";
import type { Context } from "../facts/context.ts";

/** Twice as long as failures count in agent/planning/choices/launch-backoff.ts, or a wait is believed. */
const READ_FOR_MS = 8 * HOUR_MS;
/** More of one kind in a row make no wait longer, here or there. */
const NEWEST = 32;
/** This many are forgotten at a time. */
const AT_ONCE = 64;

/**
 * Forgets launches that made nothing and that no rule reads any more. A service that refuses at every poll
 * would fill the ledger, all of which is read in each transaction. Kept are the newest answer of each
 * combination, which decides whether one launch tries it; the newest of each kind, which waits are counted
 * from, and which explain a machine for a day if it was made all the same; and, where a marker is echoed, all of a day: a gateway may send a POST twice and be refused once.
 */
export function forgetRefusals(draft: Draft, context: Context): void {
  // Nearly always there are few of them. Then no other launch is looked at.
  if (countSpent(draft, context) < AT_ONCE) return;
  const newestFirst = [...draft.intents.values()].reverse();
  const named = new Set([...draft.deployments.values()].map(({ intent }) => intent));
  const answered = new Set<string>();
  const alike = new Map<string, number>();
  const old: string[] = [];
  const repeated: string[] = [];
  for (const intent of newestFirst) {
    if (intent.state === "open") continue;
    const combination = combinationKey(intent);
    const isNewest = !answered.has(combination);
    answered.add(combination);
    if (!madeNothing(intent)) continue;
    const count = countAlike(alike, intent);
    if (isNewest || named.has(intent.id) || intent.reported || mayStillShow(intent, context)) continue;
    if (count > NEWEST) repeated.push(intent.id);
    else if (isOld(intent, context)) old.push(intent.id);
  }
  if (old.length + repeated.length < AT_ONCE) return;
  draft.forgetIntents(old, { events: false });
  // The newest of them tell people as much.
  draft.forgetIntents(repeated, { events: true });
}

/** At most so many may be forgotten: some of them may be kept for another reason. */
function countSpent(draft: Draft, context: Context): number {
  const alike = new Map<string, number>();
  let spent = 0;
  for (const state of ["rejected", "notSent"] as const)
    for (const intent of draft.intents.newest("state", state))
      if (countAlike(alike, intent) > NEWEST || isOld(intent, context)) spent += 1;
  return spent;
}

/** No wait is counted from it, and no machine that shows from now on is explained by it. */
function isOld(intent: IntentRow, context: Context): boolean {
  return ageOf(intent, context) > READ_FOR_MS && !mayHaveMade(intent, context);
}

/** How many of its kind there are, this one among them. */
function countAlike(alike: Map<string, number>, intent: IntentRow): number {
  const kind = JSON.stringify([intent.owner, combinationKey(intent), intent.profile, intent.parameters]);
  const count = (alike.get(kind) ?? 0) + 1;
  alike.set(kind, count);
  return count;
}

/** An absent launch is not one of them: its machine may come late. */
function madeNothing({ state }: IntentRow): boolean {
  return state === "rejected" || state === "notSent";
}

/** True if its marker may still be shown. What another profile shows of markers is not known here. */
function mayStillShow(intent: IntentRow, context: Context): boolean {
  const { wire, settings } = context;
  if (!wire.abilities.marker && intent.profile === wire.profileHash) return false;
  return ageOf(intent, context) <= settings.lateArrival;
}

function ageOf({ resolved, stamped }: IntentRow, { now }: Context): number {
  return elapsed(resolved ?? stamped, now);
}
