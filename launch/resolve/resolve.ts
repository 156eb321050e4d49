import type { Draft } from "../../ledger/draft.ts";
import { elapsed, type Instant } from "../../ledger/instant.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { combinationKey, combinationText } from "../../service/contract/contract.ts";
import {
  candidates,
  explain,
  explainsLate,
  isCandidate,
  isContested,
  isLookedFor,
  isUnderWay,
  launchOf,
  mayShowMore,
  refusedAndOurs,
} from "../claim/candidates.ts";
import {
  asNobodys,
  claim,
  confirm,
  confirmTaken,
  halt,
  letGo,
  lookAgain,
  madeBy,
  release,
  wasTakenByLooking,
} from "../claim/claim.ts";
import { ledgerOf, overlap } from "../claim/groups.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { isReused } from "../machine/reused.ts";
import { areSettled, awaitMore, cover, isSettled, settle, waitOn } from "./absence.ts";

/*
 * Which launch made what a full list shows (rules 4 and 5 of docs/how/protocol.md). The open intent of a group
 * takes one machine, and each absent one may take one. Further candidates are surplus on an exclusive
 * account, and disputed on a shared one.
 */

/** Resolves an open launch: to a machine, a dispute, more waiting, or absence. */
export function resolveOpen(draft: Draft, intent: IntentRow, begun: Instant, context: Context): void {
  // An intent that was resolved before it may have explained this one.
  if (draft.intents.ever(intent.id)?.state !== "open" || isUnderWay(intent, context)) return;
  if (intent.answer !== null && intent.answer.id !== null) {
    awaitShown(draft, intent, intent.answer.id, begun, context);
    return;
  }
  const found = candidates(draft, intent, context);
  const [marked, ...doubles] = found.filter((row) => row.marker === intent.marker);
  if (marked) {
    proveMarker(draft, intent, context);
    claim(draft, intent, marked, "certain", context);
    for (const row of doubles) claimSurplus(draft, intent, row, OUR_MARKER, context);
    return;
  }
  if (found.length === 0) {
    settle(draft, intent, begun, context);
    return;
  }
  if (found.some((row) => isContested(draft, row, context))) return;
  const beside = [...draft.intents.of("state", "open")].filter(
    (other) => other.id !== intent.id && isLookedFor(other, context),
  );
  const unclear = found.find(
    (row) => mayShowMore(row, context) && beside.some((other) => isCandidate(draft, row, other, context)),
  );
  if (unclear) {
    awaitMore(draft, intent, unclear);
    return;
  }
  const absent = [...draft.intents.of("state", "absent")].filter((other) => explainsLate(other, context));
  const untold = untoldOnes(draft, intent, found, [...beside, ...absent], context);
  const rivals = beside.filter((other) => [...untold].some((row) => isCandidate(draft, row, other, context)));
  const isTime = areSettled([intent, ...rivals], begun, context);
  const toTake = isTime ? found : found.filter((row) => !untold.has(row));
  if (toTake.length === 0) {
    waitOn(draft, intent, begun, context);
    return;
  }
  const refused = refusedAndOurs(draft, context);
  const { explained, surplus } = explain(draft, toTake, [intent, ...beside, ...absent, ...refused], context);
  const exclusive = draft.account.tenure === "exclusive";
  if (surplus.length > 0 && !exclusive) {
    dispute(draft, intent, toTake, context);
    return;
  }
  for (const [row, by] of explained) claim(draft, by, row, exclusive ? "certain" : "inferred", context);
  for (const row of surplus) claimSurplus(draft, intent, row, NOBODY_ELSE, context);
}

/**
 * What ended before it showed which launch made it, if fewer did than launches may have: that one failed, and the others' own may
 * still come. The wrong one would be launched anew beside its own.
 */
function untoldOnes(
  draft: Draft,
  intent: IntentRow,
  found: readonly DeploymentRow[],
  others: readonly IntentRow[],
  context: Context,
): ReadonlySet<DeploymentRow> {
  const apart = others.filter((other) => !overlap(other, intent));
  const mayHaveMade = (other: IntentRow, row: DeploymentRow): boolean =>
    row.end !== null && isCandidate(draft, row, other, context);
  const untold = found.filter((row) => apart.some((other) => mayHaveMade(other, row)));
  const all = [intent, ...apart.filter((other) => untold.some((row) => mayHaveMade(other, row)))];
  const { explained } = explain(draft, found, all, context);
  return new Set(explained.length < all.length ? untold : []);
}

/**
 * A machine with our marker is certainly ours, whatever its launch came to: a gateway may send a POST twice
 * and be refused once. An open launch looks for its machine itself: its answer may name another one.
 */
export function claimMarked(draft: Draft, row: DeploymentRow, context: Context): void {
  if (row.marker === null || row.end !== null || row.claim === "certain" || row.claim === "foreign") return;
  const intent = launchOf(draft, row.marker);
  if (intent === undefined || intent.state === "open") return;
  if (!isCandidate(draft, { ...row, claim: null }, intent, context)) return;
  proveMarker(draft, intent, context);
  if (row.intent !== intent.id) lookAgain(draft, row, context);
  release(draft, intent, row.id);
  if (draft.deployments.ever(intent.deployment ?? "")?.intent === intent.id && intent.deployment !== row.id) {
    claimSurplus(draft, intent, row, OUR_MARKER, context);
  } else {
    claim(draft, intent, row, "certain", context);
  }
}

/** No text has this form by chance. So the profile reads markers right, even if that launch had no answer. */
function proveMarker(draft: Draft, { profile }: IntentRow, { wire }: Context): void {
  if (profile !== wire.profileHash) return;
  const { shown } = knowledgeOf(draft, profile);
  if (!shown.includes("marker")) learn(draft, profile, { shown: [...shown, "marker"] });
}

/**
 * Lets go of an inferred or disputed machine once it has run for a while and a field that tells apart says
 * that its launch did not make it: the marker was proven later, or is another's. A machine that was taken
 * without a marker on an exclusive account goes, too, once it shows another launch's. Its launch is looked
 * for again.
 */
export function withdraw(draft: Draft, row: DeploymentRow, context: Context): void {
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  // An id that was given anew counts until a person decides.
  if (!intent || row.end !== null || isReused(row)) return;
  const isGuess = (row.claim === "inferred" || row.claim === "disputed") && !mayShowMore(row, context);
  if (!isGuess && !isShownToBeOthers(draft, row, intent)) return;
  if (isCandidate(draft, asNobodys(row), intent, context)) return;
  lookAgain(draft, row.claim === "certain" ? { ...row, claim: "inferred" } : row, context);
  letGo(draft, row);
  const text = `${row.id} is not what the launch of ${combinationText(intent)} made: it has run, and does not show what that one would`;
  note(draft, context, "unknown", text, { owner: intent.owner, deployment: row.id, intent: intent.id });
}

/**
 * True if only a list gave it to this launch, and it carries the marker of another launch for something else.
 * If both asked for the same, it serves as well: to stop it and launch anew would pay one more first hour.
 */
function isShownToBeOthers(draft: Draft, row: DeploymentRow, intent: IntentRow): boolean {
  const byLooking = row.claim === "certain" && row.stop === null && intent.answer?.id !== row.id;
  const isItsOnly = row.owner === intent.owner && intent.deployment === row.id && row.saidGpus === undefined;
  if (!byLooking || !isItsOnly || row.marker === intent.marker || ledgerOf(row.marker) === undefined)
    return false;
  const maker = launchOf(draft, row.marker);
  return !maker || combinationKey(maker) !== combinationKey(intent) || maker.parameters !== intent.parameters;
}

/** The first launch under a profile: its id must be shown before anything else is launched under it. */
function awaitShown(draft: Draft, intent: IntentRow, id: string, begun: Instant, context: Context): void {
  const waited = cover(intent, begun, context);
  if (!isSettled(waited, context.settings.settle, context)) {
    if (waited !== intent.settle) draft.putIntent({ ...intent, settle: waited });
    return;
  }
  const reason = `the service accepted a launch as ${id}, but neither a list nor a GET shows that id`;
  halt(
    draft,
    intent,
    id,
    `${reason}. Check launch.id in the profile, and deployments.records if it leaves any out, then: fleetkeeper resume`,
    context,
  );
  const answer = { at: context.now, id: null, reason, unshown: id };
  draft.putIntent({ ...intent, answer, settle: null, detail: reason });
}

/** Confirms each launch whose machine, as it was answered, a list or a GET has shown by now. */
export function confirmAllShown(draft: Draft, context: Context): void {
  for (const intent of draft.intents.of("shown", "waiting")) confirmShown(draft, intent, context);
}

/** Claims the id that a launch was answered with, once a list or a GET shows it. */
function confirmShown(draft: Draft, intent: IntentRow, context: Context): void {
  const { answer, state } = intent;
  const id = answer?.unshown ?? (state === "open" ? answer?.id : null);
  draft.recall(id ?? "");
  const row = draft.deployments.ever(id ?? "");
  if (!answer || row === undefined || row.lastSeen === null) return;
  const answered: IntentRow = {
    ...intent,
    answer: { at: answer.at, id: row.id, reason: "accepted, and shown" },
  };
  // A person's word, or another launch's look, gave the machine its one claim already.
  if (row.claim !== null && row.intent !== null && row.intent !== intent.id) {
    const reason = `the launch was answered with the id ${row.id}, which was claimed for another one`;
    if (!wasTakenByLooking(draft, intent, row)) {
      halt(
        draft,
        intent,
        null,
        `${reason}. Check launch.id in the profile, then: fleetkeeper resume`,
        context,
      );
    } else if (confirmTaken(draft, answered, row, context) === "claimed") return;
    const known = { at: answer.at, id: null, reason };
    draft.putIntent({ ...intent, answer: known, settle: null, detail: reason });
    return;
  }
  confirm(draft, answered, row, context);
}

/** One more candidate within a settle time after a claim by looking alone puts that claim in doubt. */
export function disputeLater(draft: Draft, intent: IntentRow, context: Context): void {
  const { resolved, answer, deployment } = intent;
  if (resolved === null || deployment === null || (answer !== null && answer.id !== null)) return;
  if (elapsed(resolved, context.now) >= context.settings.settle) return;
  const row = draft.deployments.ever(deployment);
  if (row === undefined || row.intent !== intent.id || row.marker === intent.marker) return;
  const more = candidates(draft, intent, context).filter((each) => !isContested(draft, each, context));
  const others = [...draft.intents.of("state", "open"), ...draft.intents.of("state", "absent")].filter(
    (other) => other.state === "open" || explainsLate(other, context),
  );
  const { surplus } = explain(draft, more, [...others, ...refusedAndOurs(draft, context)], context);
  if (surplus.length === 0) return;
  if (draft.account.tenure === "exclusive") {
    for (const each of surplus) claimSurplus(draft, intent, each, NOBODY_ELSE, context);
  } else if (row.claim === "inferred") {
    dispute(draft, intent, [row, ...surplus], context);
  }
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
  draft.moveDeployment("claim", { ...madeBy(intent, row, context), claim: "certain" });
  note(draft, context, "claimed", `${row.id} is ours and one too many: ${why}`, {
    owner: intent.owner,
    deployment: row.id,
    intent: intent.id,
  });
}

function dispute(draft: Draft, intent: IntentRow, rows: readonly DeploymentRow[], context: Context): void {
  for (const row of rows) {
    draft.moveDeployment("dispute", {
      ...row,
      claim: "disputed",
      owner: intent.owner,
      intent: intent.id,
      claimed: context.now,
    });
  }
  draft.moveIntent("dispute", {
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
