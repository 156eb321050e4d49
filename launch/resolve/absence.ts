import type { Draft } from "../../ledger/draft.ts";
import { elapsed, type Instant, isLater } from "../../ledger/instant.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { combinationText } from "../../service/contract/contract.ts";
import {
  ALL,
  explainsLate,
  isCandidate,
  isContested,
  isUnmarked,
  lateOnes,
  refusedLately,
  reportedIds,
} from "../claim/candidates.ts";
import { claim } from "../claim/claim.ts";
import { overlap } from "../claim/groups.ts";
import { tellRefused } from "../claim/refused.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { unaccounted } from "../facts/occupancy.ts";
import { mayBeNameless } from "../machine/unread.ts";
import { crowdOf } from "./vanished.ts";

/*
 * A launch counts as absent only after the POST's timeout and a settle time of looking. Even then its machine
 * may come late (rule 6 of docs/how/protocol.md).
 */

/** How long it was looked for, with this list; undefined: this list comes too soon to count. */
function waitFor(
  intent: IntentRow,
  begun: Instant,
  context: Context,
): { readonly waited: NonNullable<IntentRow["settle"]>; readonly isOver: boolean } | undefined {
  // Asked for before it was stamped, by a process that had not heard of the newest epoch.
  if (!isLater(begun, intent.stamped)) return undefined;
  // A reboot took an unknown time. The lists must then cover the POST's timeout as well.
  const rebooted = intent.stamped.boot !== begun.boot;
  if (!rebooted && elapsed(intent.stamped, begun) < intent.timeout) return undefined;
  const waited = cover(intent, begun, context);
  const ms = context.settings.settle + (rebooted ? intent.timeout : 0);
  return { waited, isOver: isSettled(waited, ms, context) };
}

/** True if nothing is to come of any of them any more, but late. */
export function areSettled(intents: readonly IntentRow[], begun: Instant, context: Context): boolean {
  return intents.every((intent) => waitFor(intent, begun, context)?.isOver);
}

/** Counts this list, and waits for more. */
export function waitOn(draft: Draft, intent: IntentRow, begun: Instant, context: Context): void {
  const { waited } = waitFor(intent, begun, context) ?? {};
  if (waited && waited !== intent.settle) draft.putIntent({ ...intent, settle: waited });
}

/** No candidate yet: waits until lists have covered the settle time, then calls the intent absent. */
export function settle(draft: Draft, intent: IntentRow, begun: Instant, context: Context): void {
  const wait = waitFor(intent, begun, context);
  if (!wait?.isOver) {
    waitOn(draft, intent, begun, context);
    return;
  }
  const unmarked = [...draft.deployments.values()].find((row) => isUnmarked(draft, row, intent, context));
  if (unmarked) {
    resolveUnmarked(draft, intent, unmarked, context);
    return;
  }
  if (mayBeNameless(draft.account, intent)) {
    awaitWhat(draft, intent, "a record of the list without an id that can be read", "disown unreadable");
    return;
  }
  if (crowdOf(draft, context).whole) {
    awaitWhat(draft, intent, "a machine that lists hide with most others", "resume");
    return;
  }
  draft.moveIntent("callAbsent", {
    ...intent,
    state: "absent",
    resolved: context.now,
    settle: wait.waited,
    detail: "looked for, not found",
  });
  note(
    draft,
    context,
    "absent",
    `${combinationText(intent)}: the launch without an answer made nothing that can be found`,
    { owner: intent.owner, intent: intent.id },
  );
}

/**
 * Called absent, this intent would be launched anew beside a machine that may be its own. On an exclusive
 * account it claims that machine unless another open launch may have made it. Else it waits for more.
 */
function resolveUnmarked(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  const others = draft.intents
    .of("state", "open")
    .some((other) => other.id !== intent.id && isUnmarked(draft, row, other, context));
  if (draft.account.tenure === "exclusive" && !others) claim(draft, intent, row, "certain", context);
  else awaitMore(draft, intent, row);
}

/** Nobody can tell yet whose the machine is. The intent counts as a machine, and says that it waits. */
export function awaitMore(draft: Draft, intent: IntentRow, { id }: DeploymentRow): void {
  awaitWhat(draft, intent, id, "adopt or disown");
}

function awaitWhat(draft: Draft, intent: IntentRow, what: string, remedy: string): void {
  const detail = `${what} may be its machine, and does not show yet whose it is: waiting for that, or for fleetkeeper ${remedy}`;
  if (intent.detail !== detail) draft.putIntent({ ...intent, detail });
}

/** Adds one full list to the settle time: at most one poll interval, so that a long sleep proves nothing. */
export function cover(intent: IntentRow, begun: Instant, context: Context): NonNullable<IntentRow["settle"]> {
  const { settle } = intent;
  if (settle === null) return { since: begun, last: begun, covered: 0, lists: 1 };
  if (!isLater(begun, settle.last)) return settle;
  const gap = elapsed(settle.last, begun);
  return {
    since: settle.since,
    last: begun,
    covered: settle.covered + Math.min(gap, context.settings.poll),
    lists: settle.lists + 1,
  };
}

export function isSettled(
  waited: NonNullable<IntentRow["settle"]>,
  ms: number,
  { settings }: Context,
): boolean {
  return waited.covered >= ms && waited.lists >= settings.settleLists;
}

/**
 * Judges a machine that appears after its intent was called absent, while the group has no open intent. On an
 * exclusive account `trust` leaves the combination out. An intent whose fields were not known yet took any
 * machine there, maybe this intent's. Its own comes late with another combination, and is ours all the same.
 */
export function judgeLate(draft: Draft, intent: IntentRow, context: Context, trust = ALL): void {
  if (!explainsLate(intent, context)) return;
  if (draft.intents.of("state", "open").some((open) => overlap(open, intent))) return;
  const found = lateOnes(draft, intent, context, trust).filter((each) => !isContested(draft, each, context));
  const row = found.find((each) => each.marker === intent.marker) ?? found[0];
  if (row === undefined) return;
  takeLate(draft, intent, row, context);
}

/**
 * Judges living machines that only refused launches explain: each goes to the newest one that asked for what it
 * is. What an open or absent launch may have made is left to that one.
 */
export function judgeRefused(draft: Draft, context: Context): void {
  if (refusedLately(draft, context).length === 0) return;
  const open = [...draft.intents.of("state", "open")];
  const absent = [...draft.intents.of("state", "absent")].filter((each) => explainsLate(each, context));
  const [first, reported] = [[...open, ...absent], reportedIds(draft)];
  for (const row of unaccounted(draft)) {
    if (reported.has(row.id) || first.some((each) => isCandidate(draft, row, each, context))) continue;
    const refused = refusedLately(draft, context).filter(
      (intent) => isCandidate(draft, row, intent, context) && !open.some((other) => overlap(other, intent)),
    );
    const intent = refused.find((each) => PLACES.every((field) => each[field] === row[field])) ?? refused[0];
    if (intent) takeLate(draft, intent, row, context);
  }
}

const PLACES = ["offer", "provider", "location"] as const;

/** Only with our marker, or where nobody else launches, it is certainly what this launch made. */
function takeLate(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  if (row.marker === intent.marker || draft.account.tenure === "exclusive") {
    claim(draft, intent, row, "certain", context);
    return;
  }
  const what = intent.state === "rejected" ? "what the refused launch of" : "a late answer to";
  // Once reported, a person judges it. A stranger's machine must not hold our launches for a day.
  draft.putIntent({ ...intent, reported: row.id });
  note(
    draft,
    context,
    "unclaimed",
    `${row.id} may be ${what} ${combinationText(intent)}${intent.state === "rejected" ? " made" : ""}, or somebody else's: this account is shared, so it is not ` +
      "touched. Say which with fleetkeeper adopt or fleetkeeper disown",
    { owner: intent.owner, deployment: row.id, intent: intent.id },
  );
  if (intent.state === "rejected") tellRefused(draft, intent, context);
}
