import type { Draft } from "../ledger/draft.ts";
import type { Instant } from "../ledger/instant.ts";
import { elapsed } from "../ledger/instant.ts";
import type { DeploymentRow, IntentRow } from "../ledger/rows.ts";
import { place } from "../service/contract.ts";
import { claim, halt, proveProfile } from "./claim.ts";
import type { Context } from "./context.ts";
import { knowledgeOf } from "./context.ts";
import { note } from "./events.ts";
import { excludes, overlap } from "./groups.ts";

/**
 * Resolves the account's open intents by looking at a full list that was just written down.
 *
 * A candidate of an intent is an unclaimed id outside its baseline that no field which tells apart excludes. An intent
 * whose sender lives and waits for the answer is left alone. What a list shows is then explained: the open intent of a
 * group takes one machine, each absent intent of the group may take one. Candidates beyond that are ours and surplus on
 * an exclusive account, and disputed on a shared one. No candidate at all, for long enough, makes the intent absent.
 */
export function resolve(draft: Draft, begun: Instant, context: Context): void {
  for (const intent of inState(draft, "open")) resolveOpen(draft, intent, begun, context);
  for (const intent of inState(draft, "claimed")) disputeLater(draft, intent, context);
  for (const intent of inState(draft, "absent")) judgeLate(draft, intent, context);
}

/** True if the list shows a machine that this absent intent may have made after all. */
export function isLateFor(draft: Draft, intent: IntentRow, context: Context): boolean {
  return explainsLate(intent, context) && candidates(draft, intent, context).some((row) => row.end === null);
}

/** The sender lives, has no answer yet, and its time is not up: nothing may be concluded. */
function underWay(intent: IntentRow, context: Context): boolean {
  return (
    intent.answer === null &&
    context.isAlive(intent.sender) &&
    elapsed(intent.stamped, context.now) < intent.timeout
  );
}

function resolveOpen(draft: Draft, intent: IntentRow, begun: Instant, context: Context): void {
  if (underWay(intent, context)) return;
  if (intent.answer !== null && intent.answer.id !== null) {
    resolveAccepted(draft, intent, intent.answer.id, begun, context);
    return;
  }
  const found = candidates(draft, intent, context);
  const marked = found.filter((row) => row.marker === intent.marker);
  if (marked.length > 0) {
    for (const row of marked) claim(draft, intent, row, "certain", context);
    return;
  }
  const [first, ...others] = found;
  if (first === undefined) {
    settle(draft, intent, begun, context);
    return;
  }
  const absent = inState(draft, "absent").filter(
    (other) => overlap(other.group, intent.group) && explainsLate(other, context),
  );
  const { explained, surplus } = explain(draft, others, absent, context);
  const exclusive = draft.account.tenure === "exclusive";
  if (surplus.length > 0 && !exclusive) {
    dispute(draft, intent, found, context);
    return;
  }
  const as = exclusive ? "certain" : "inferred";
  claim(draft, intent, first, as, context);
  for (const [row, other] of explained) claim(draft, other, row, as, context);
  for (const row of surplus) claimSurplus(draft, intent, row, context);
}

/** The first launch under a profile: its id must be shown before anything else is launched under it. */
function resolveAccepted(
  draft: Draft,
  intent: IntentRow,
  id: string,
  begun: Instant,
  context: Context,
): void {
  const row = draft.deployments.get(id);
  if (row?.lastSeen != null && row.claim === null) {
    claim(draft, intent, row, "certain", context);
    proveProfile(draft, intent, row, context);
    return;
  }
  const waited = cover(intent, begun, context);
  if (!isSettled(waited, context)) {
    draft.putIntent({ ...intent, settle: waited });
    return;
  }
  const reason = `the service accepted a launch as ${id}, but neither a list nor a GET shows that id`;
  halt(draft, intent, id, `${reason}. Check launch.id in the profile, then: fleetkeeper resume`, context);
  draft.putIntent({ ...intent, answer: { at: context.now, id: null, reason }, settle: null, detail: reason });
}

/** Claims the id that the launch was answered with, once something showed it. */
export function confirmAccepted(draft: Draft, intent: IntentRow, context: Context): boolean {
  const row = draft.deployments.get(intent.answer?.id ?? "");
  if (intent.state !== "open" || row === undefined || row.lastSeen === null || row.claim !== null)
    return false;
  claim(draft, intent, row, "certain", context);
  proveProfile(draft, intent, row, context);
  return true;
}

/** No candidate yet: waits until lists have covered the settle time, then calls the intent absent. */
function settle(draft: Draft, intent: IntentRow, begun: Instant, context: Context): void {
  if (elapsed(intent.stamped, begun) < intent.timeout) return;
  const waited = cover(intent, begun, context);
  if (!isSettled(waited, context)) {
    if (waited !== intent.settle) draft.putIntent({ ...intent, settle: waited });
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
    {
      owner: intent.owner,
    },
  );
}

/** Adds one full list to the settle time: at most one poll interval, so that a long sleep proves nothing. */
function cover(intent: IntentRow, begun: Instant, context: Context): NonNullable<IntentRow["settle"]> {
  const { settle } = intent;
  if (settle === null) return { since: begun, last: begun, covered: 0, lists: 1 };
  const gap = elapsed(settle.last, begun);
  if (gap === 0) return settle;
  return {
    since: settle.since,
    last: begun,
    covered: settle.covered + Math.min(gap, context.settings.poll),
    lists: settle.lists + 1,
  };
}

function isSettled(waited: NonNullable<IntentRow["settle"]>, { settings }: Context): boolean {
  return waited.covered >= settings.settle && waited.lists >= settings.settleLists;
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
  const more = candidates(draft, intent, context);
  const others = [...inState(draft, "open"), ...inState(draft, "absent")].filter(
    (other) => overlap(other.group, intent.group) && (other.state === "open" || explainsLate(other, context)),
  );
  const { surplus } = explain(draft, more, others, context);
  if (surplus.length === 0) return;
  if (draft.account.tenure === "exclusive") {
    for (const each of surplus) claimSurplus(draft, intent, each, context);
  } else if (row.claim === "inferred") {
    dispute(draft, intent, [row, ...surplus], context);
  }
}

/** A machine that appears after its intent was called absent: judged only while the group has nothing open. */
function judgeLate(draft: Draft, intent: IntentRow, context: Context): void {
  if (!explainsLate(intent, context)) return;
  if (inState(draft, "open").some((open) => overlap(open.group, intent.group))) return;
  const found = candidates(draft, intent, context);
  const row = found.find((each) => each.marker === intent.marker) ?? found[0];
  if (row === undefined) return;
  if (row.marker === intent.marker || draft.account.tenure === "exclusive") {
    claim(draft, intent, row, "certain", context);
  }
}

function explainsLate(intent: IntentRow, context: Context): boolean {
  return (
    intent.state === "absent" &&
    intent.resolved !== null &&
    elapsed(intent.resolved, context.now) < context.settings.lateArrival
  );
}

/** Gives each machine to one intent that can explain it; what remains is surplus. */
function explain(
  draft: Draft,
  rows: readonly DeploymentRow[],
  by: readonly IntentRow[],
  context: Context,
): { explained: readonly (readonly [DeploymentRow, IntentRow])[]; surplus: readonly DeploymentRow[] } {
  const free = [...by];
  const explained: [DeploymentRow, IntentRow][] = [];
  const surplus: DeploymentRow[] = [];
  for (const row of rows) {
    const index = free.findIndex((intent) => isCandidate(draft, row, intent, context));
    const [intent] = index < 0 ? [] : free.splice(index, 1);
    if (intent) explained.push([row, intent]);
    else surplus.push(row);
  }
  return { explained, surplus };
}

function candidates(draft: Draft, intent: IntentRow, context: Context): readonly DeploymentRow[] {
  return [...draft.deployments.values()]
    .filter((row) => isCandidate(draft, row, intent, context))
    .sort((one, other) => one.sequence - other.sequence);
}

function isCandidate(draft: Draft, row: DeploymentRow, intent: IntentRow, context: Context): boolean {
  if (row.claim !== null || row.sequence <= intent.baseline || row.lastSeen === null) return false;
  // Fields read under another profile may mean something else: then only a marker of ours says anything.
  const known =
    intent.profile === context.wire.profileHash ? knowledgeOf(draft, intent.profile) : NOTHING_SHOWN;
  return !excludes(intent, row, known);
}

const NOTHING_SHOWN = { proven: false, shown: [], ends: [], halted: null };

function claimSurplus(draft: Draft, intent: IntentRow, row: DeploymentRow, context: Context): void {
  draft.putDeployment({
    ...row,
    claim: "certain",
    owner: intent.owner,
    intent: intent.id,
    claimed: context.now,
    gpus: row.gpus ?? intent.gpus,
    pricePerHour: row.pricePerHour ?? intent.pricePerHour,
  });
  note(
    draft,
    context,
    "claimed",
    `${row.id} is ours and one too many: nobody else launches in this account`,
    {
      owner: intent.owner,
      deployment: row.id,
    },
  );
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
    { owner: intent.owner },
  );
}

function inState(draft: Draft, state: IntentRow["state"]): readonly IntentRow[] {
  return [...draft.intents.values()].filter((intent) => intent.state === state);
}
