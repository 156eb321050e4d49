import type { Draft } from "../ledger/draft.ts";
import type { Instant } from "../ledger/instant.ts";
import { elapsed, isLater } from "../ledger/instant.ts";
import type { DeploymentRow, IntentRow } from "../ledger/rows.ts";
import { place } from "../service/contract.ts";
import {
  ALL,
  candidates,
  explain,
  explainsLate,
  inState,
  isCandidate,
  isContested,
  isLookedFor,
  isUnmarked,
  lateOnes,
  mayShowMore,
  underWay,
} from "./candidates.ts";
import { claim, confirm, confirmTaken, halt, lookAgain, release, takenByLooking } from "./claim.ts";
import type { Context } from "./context.ts";
import { note } from "./events.ts";
import { isMarkerField, overlap } from "./groups.ts";

/**
 * Resolves the account's open intents by looking at a full list that was just written down.
 *
 * An intent whose sender lives and waits for the answer is left alone, and so is a machine that may turn out to be its. What
 * a list shows is then explained: the open intent of a group takes one machine, each absent intent of the group may take one.
 * Candidates beyond that are ours and surplus on an exclusive account, and disputed on a shared one. No candidate at all,
 * for long enough, makes the intent absent.
 */
export function resolve(draft: Draft, begun: Instant, context: Context): void {
  for (const intent of draft.intents.values()) confirmShown(draft, intent, context);
  for (const row of draft.deployments.values()) claimMarked(draft, row, context);
  for (const intent of inState(draft, "open")) resolveOpen(draft, intent, begun, context);
  for (const intent of inState(draft, "claimed")) disputeLater(draft, intent, context);
  for (const intent of inState(draft, "absent")) judgeLate(draft, intent, context);
  if (draft.account.tenure !== "exclusive") return;
  for (const intent of inState(draft, "absent")) judgeLate(draft, intent, context, isMarkerField);
}

function resolveOpen(draft: Draft, intent: IntentRow, begun: Instant, context: Context): void {
  // Another one that was looked for before may have explained it.
  if (draft.intents.get(intent.id)?.state !== "open" || underWay(intent, context)) return;
  if (intent.answer !== null && intent.answer.id !== null) {
    awaitShown(draft, intent, intent.answer.id, begun, context);
    return;
  }
  const found = candidates(draft, intent, context);
  const [marked, ...doubles] = found.filter((row) => row.marker === intent.marker);
  if (marked) {
    claim(draft, intent, marked, "certain", context);
    for (const row of doubles) claimSurplus(draft, intent, row, OUR_MARKER, context);
    return;
  }
  if (found.length === 0) {
    settle(draft, intent, begun, context);
    return;
  }
  if (found.some((row) => isContested(draft, row, context))) return;
  const beside = inState(draft, "open").filter(
    (other) => other.id !== intent.id && isLookedFor(other, context),
  );
  const unclear = found.find(
    (row) => mayShowMore(row, context) && beside.some((other) => isCandidate(draft, row, other, context)),
  );
  if (unclear) {
    awaitMore(draft, intent, unclear);
    return;
  }
  const absent = inState(draft, "absent").filter((other) => explainsLate(other, context));
  const { explained, surplus } = explain(draft, found, [intent, ...beside, ...absent], context);
  const exclusive = draft.account.tenure === "exclusive";
  if (surplus.length > 0 && !exclusive) {
    dispute(draft, intent, found, context);
    return;
  }
  for (const [row, by] of explained) claim(draft, by, row, exclusive ? "certain" : "inferred", context);
  for (const row of surplus) claimSurplus(draft, intent, row, NOBODY_ELSE, context);
}

/**
 * What carries our marker is certainly ours, whatever else its launch came to: a gateway may send a POST twice, and be
 * refused the second time. An open launch looks for its machine itself, since its answer may still name another one.
 */
function claimMarked(draft: Draft, row: DeploymentRow, context: Context): void {
  if (row.marker === null || row.end !== null || row.claim === "certain" || row.claim === "foreign") return;
  const intent = [...draft.intents.values()].find(({ marker }) => marker === row.marker);
  if (intent === undefined || intent.state === "open") return;
  if (!isCandidate(draft, { ...row, claim: null }, intent, context)) return;
  if (row.intent !== intent.id) lookAgain(draft, row, context);
  release(draft, intent, row.id);
  if (draft.deployments.get(intent.deployment ?? "")?.intent === intent.id && intent.deployment !== row.id) {
    claimSurplus(draft, intent, row, OUR_MARKER, context);
  } else {
    claim(draft, intent, row, "certain", context);
  }
}

/** The first launch under a profile: its id must be shown before anything else is launched under it. */
function awaitShown(draft: Draft, intent: IntentRow, id: string, begun: Instant, context: Context): void {
  const waited = cover(intent, begun, context);
  if (!isSettled(waited, context.settings.settle, context)) {
    if (waited !== intent.settle) draft.putIntent({ ...intent, settle: waited });
    return;
  }
  const reason = `the service accepted a launch as ${id}, but neither a list nor a GET shows that id`;
  halt(draft, intent, id, `${reason}. Check launch.id in the profile, then: fleetkeeper resume`, context);
  const answer = { at: context.now, id: null, reason, unshown: id };
  draft.putIntent({ ...intent, answer, settle: null, detail: reason });
}

/** Claims the id that a launch was answered with, once a list or a GET shows it. */
export function confirmShown(draft: Draft, intent: IntentRow, context: Context): boolean {
  const { answer, state } = intent;
  const id = answer?.unshown ?? (state === "open" ? answer?.id : null);
  const row = draft.deployments.get(id ?? "");
  if (!answer || row === undefined || row.lastSeen === null) return false;
  const answered: IntentRow = {
    ...intent,
    answer: { at: answer.at, id: row.id, reason: "accepted, and shown" },
  };
  // By a person's decision, or by looking for another launch: the machine has one claim already.
  if (row.claim !== null && row.intent !== null && row.intent !== intent.id) {
    const reason = `the launch was answered with the id ${row.id}, which was claimed for another one`;
    if (!takenByLooking(draft, intent, row)) {
      halt(
        draft,
        intent,
        null,
        `${reason}. Check launch.id in the profile, then: fleetkeeper resume`,
        context,
      );
    } else if (confirmTaken(draft, answered, row, context)) return true;
    const known = { at: answer.at, id: null, reason };
    draft.putIntent({ ...intent, answer: known, settle: null, detail: reason });
    return false;
  }
  confirm(draft, answered, row, context);
  return true;
}

/** No candidate yet: waits until lists have covered the settle time, then calls the intent absent. */
function settle(draft: Draft, intent: IntentRow, begun: Instant, context: Context): void {
  // Nobody knows how long a reboot took: then the POST's timeout is waited for by looking, too.
  const rebooted = intent.stamped.boot !== begun.boot;
  if (!rebooted && elapsed(intent.stamped, begun) < intent.timeout) return;
  const waited = cover(intent, begun, context);
  if (!isSettled(waited, context.settings.settle + (rebooted ? intent.timeout : 0), context)) {
    if (waited !== intent.settle) draft.putIntent({ ...intent, settle: waited });
    return;
  }
  const unmarked = [...draft.deployments.values()].find((row) => isUnmarked(draft, row, intent, context));
  if (unmarked) {
    resolveUnmarked(draft, intent, unmarked, context);
    return;
  }
  draft.putIntent({
    ...intent,
    state: "absent",
    resolved: context.now,
    settle: waited,
    detail: "looked for, not found",
  });
  note(
    draft,
    context,
    "absent",
    `${place(intent)}: the launch without an answer made nothing that can be found`,
    { owner: intent.owner, intent: intent.id },
  );
}

/**
 * Absent, this intent would be launched anew beside a machine that may be its own. On an exclusive account that is its own
 * where no other launch is open that may have made it; else it is waited for until it shows its marker, or ends.
 */
function resolveUnmarked(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  const others = inState(draft, "open").some(
    (other) => other.id !== intent.id && isUnmarked(draft, row, other, context),
  );
  if (draft.account.tenure === "exclusive" && !others) claim(draft, intent, row, "certain", context);
  else awaitMore(draft, intent, row);
}

/** Nobody can tell yet whose the machine is. What waits for it counts as a machine, and says so. */
function awaitMore(draft: Draft, intent: IntentRow, { id }: DeploymentRow): void {
  const detail = `${id} may be its machine, and does not show yet whose it is: waiting for that, or for fleetkeeper adopt or disown`;
  if (intent.detail !== detail) draft.putIntent({ ...intent, detail });
}

/** Adds one full list to the settle time: at most one poll interval, so that a long sleep proves nothing. */
function cover(intent: IntentRow, begun: Instant, context: Context): NonNullable<IntentRow["settle"]> {
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

function isSettled(waited: NonNullable<IntentRow["settle"]>, ms: number, { settings }: Context): boolean {
  return waited.covered >= ms && waited.lists >= settings.settleLists;
}

/**
 * Within one settle time after a claim by looking alone, one more candidate means that the claim may have been wrong.
 */
function disputeLater(draft: Draft, intent: IntentRow, context: Context): void {
  const { resolved, answer, deployment } = intent;
  if (resolved === null || deployment === null || (answer !== null && answer.id !== null)) return;
  if (elapsed(resolved, context.now) >= context.settings.settle) return;
  const row = draft.deployments.get(deployment);
  if (row === undefined || row.intent !== intent.id || row.marker === intent.marker) return;
  const more = candidates(draft, intent, context).filter((each) => !isContested(draft, each, context));
  const others = [...inState(draft, "open"), ...inState(draft, "absent")].filter(
    (other) => other.state === "open" || explainsLate(other, context),
  );
  const { surplus } = explain(draft, more, others, context);
  if (surplus.length === 0) return;
  if (draft.account.tenure === "exclusive") {
    for (const each of surplus) claimSurplus(draft, intent, each, NOBODY_ELSE, context);
  } else if (row.claim === "inferred") {
    dispute(draft, intent, [row, ...surplus], context);
  }
}

/**
 * A machine that appears after its intent was called absent: judged only while the group has nothing open.
 *
 * `trust` without the combination: an intent whose fields were not known yet takes machines as they come, so it may hold
 * this one's, and its own comes when it is not looked for any more. Whatever its fields say, on an exclusive account it is ours.
 */
function judgeLate(draft: Draft, intent: IntentRow, context: Context, trust = ALL): void {
  if (!explainsLate(intent, context)) return;
  if (inState(draft, "open").some((open) => overlap(open, intent))) return;
  const found = lateOnes(draft, intent, context, trust).filter((each) => !isContested(draft, each, context));
  const row = found.find((each) => each.marker === intent.marker) ?? found[0];
  if (row === undefined) return;
  if (row.marker === intent.marker || draft.account.tenure === "exclusive") {
    claim(draft, intent, row, "certain", context);
    return;
  }
  // Once reported it is a person's to judge: a stranger's machine must not hold our launches for a day.
  draft.putIntent({ ...intent, reported: row.id });
  note(
    draft,
    context,
    "unclaimed",
    `${row.id} may be a late answer to ${place(intent)}, or somebody else's: this account is shared, so it is not ` +
      "touched. Say which with fleetkeeper adopt or fleetkeeper disown",
    { owner: intent.owner, deployment: row.id, intent: intent.id },
  );
}

const NOBODY_ELSE = "nobody else launches in this account";
const OUR_MARKER = "it carries our marker";

function claimSurplus(
  draft: Draft,
  intent: IntentRow,
  row: DeploymentRow,
  why: string,
  context: Context,
): void {
  draft.putDeployment({
    ...row,
    claim: "certain",
    owner: intent.owner,
    intent: intent.id,
    claimed: context.now,
    gpus: row.gpus ?? intent.gpus,
    pricePerHour: row.pricePerHour ?? intent.pricePerHour,
  });
  note(draft, context, "claimed", `${row.id} is ours and one too many: ${why}`, {
    owner: intent.owner,
    deployment: row.id,
    intent: intent.id,
  });
}

function dispute(draft: Draft, intent: IntentRow, rows: readonly DeploymentRow[], context: Context): void {
  for (const row of rows) {
    draft.putDeployment({
      ...row,
      claim: "disputed",
      owner: intent.owner,
      intent: intent.id,
      claimed: context.now,
    });
  }
  draft.putIntent({
    ...intent,
    state: "disputed",
    resolved: context.now,
    deployment: null,
    detail: `one of ${rows.map((row) => row.id).join(", ")}, and nobody can tell which`,
  });
  note(
    draft,
    context,
    "disputed",
    `one of ${rows.map((row) => row.id).join(", ")} is ours, and this account is shared: ` +
      "say which with fleetkeeper adopt and fleetkeeper disown. None is stopped meanwhile",
    { owner: intent.owner, intent: intent.id },
  );
}
