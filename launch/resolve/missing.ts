import type { Draft } from "../../ledger/draft.ts";
import { elapsed, type Instant, isLater, MINUTE_MS } from "../../ledger/instant.ts";
import type { AccountRow, DeploymentRow } from "../../ledger/rows.ts";
import { type FleetkeeperError, isDown } from "../../service/contract/errors.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { agreeOnEnd, isEndDoubted } from "../ends/returned.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { listedAfterRestore } from "../facts/restored.ts";
import { storeObservation } from "../machine/store-observation.ts";
import { namelessLeft } from "../machine/unread.ts";
import { neverShownFor, neverWas } from "./never-shown.ts";
import { confirmAllShown } from "./resolve.ts";
import { crowdOf, householdOf, isHeldBack } from "./vanished.ts";

/*
 * What lists do not show (rule 9 of docs/how/protocol.md). The specification says that the list filters nothing,
 * so an absence is an anomaly, not a loss.
 */

/** Remembers the newest list that is believed, and since when lists come without a long pause. */
export function rememberList(draft: Draft, begun: Instant, context: Context): void {
  const { settings } = context;
  const { account } = draft;
  const { list, watched = begun } = account;
  if (list && !isLater(begun, list)) return;
  const isWatched = list !== null && elapsed(list, begun) <= settings.gone;
  const read: AccountRow = { ...account, list: begun, watched: isWatched ? watched : begun };
  draft.putAccount(listedAfterRestore(read, context));
}

/** For so long lists must lack one machine alone: no other one lives that could show how living ones are answered. */
const UNPROVEN_MS = 10 * MINUTE_MS;

/**
 * Stores the answer of a GET by id. Not found counts if lists lack the deployment, too. `isProven`: a living one is
 * answered otherwise.
 */
export function storeLook(
  draft: Draft,
  id: string,
  shown: Deployment | undefined,
  asked: Instant,
  context: Context,
  isProven = true,
): void {
  if (shown) {
    storeObservation(draft, shown, { by: "get", asked }, context);
    confirmAllShown(draft, context);
    return;
  }
  const row = draft.deployments.ever(id);
  // Another process was told the same, and has said that it never was.
  if (row?.end === "gone" && row.lastSeen === null) return;
  const { since } = row?.missing ?? row?.returned?.ending ?? {};
  if (!isProven && since && elapsed(since, asked) < UNPROVEN_MS) return;
  if (row && isEndDoubted(row)) draft.putDeployment(agreeOnEnd(row));
  if (row?.missing?.lists === ASKED_LAST && !isHeldBack(draft, row, context)) {
    neverWas(draft, row, context);
  } else if (row?.missing && !row.missing.notFound) {
    // Its id was shown, or nobody could ask, since the first list that lacks it: what such lists say is no evidence.
    const { doubt: _doubt, ...missing } = row.missing;
    const lists = missing.lists < 2 ? missing.lists : 0;
    draft.putDeployment({ ...row, missing: { ...missing, lists, notFound: true } });
  }
}

/** A GET by id showed neither it nor that there is none. A service that is down says less than one that answers. */
export function storeNoLook(draft: Draft, id: string, error: FleetkeeperError, { now }: Context): void {
  const row = draft.deployments.ever(id);
  if (!row?.missing || row.missing.notFound) return;
  const { doubt } = row.missing;
  const [why, refused] = [error.message, !isDown(error)];
  if (doubt && (doubt.why === why || !refused)) return;
  draft.putDeployment({
    ...row,
    missing: { ...row.missing, doubt: { since: doubt?.since ?? now, why, refused } },
  });
}

/** One that lists show: how it is answered by its id shows what another answer is worth. */
export function witnessOf(draft: Draft, id: string): string | undefined {
  return [...draft.deployments.of("life", "living")].find(
    (row) =>
      row.id !== id && row.missing === null && row.lastSeen !== null && !row.flaw && isOurs(row) && !row.stop,
  )?.id;
}

/** The deployments to GET by id: lists lack them, contradict themselves, or show an end that is not believed yet. */
export function toLookUp(draft: Draft): readonly string[] {
  const isAsked = (row: DeploymentRow): boolean =>
    row.flaw?.contradicts || (row.missing !== null && !row.missing.notFound) || isEndDoubted(row);
  return [...draft.deployments.of("presence", "doubted")]
    .filter((row) => isOurs(row) && isAsked(row))
    .map((row) => row.id);
}

/** In place of a number of lists: the id that was never shown is asked for once more, and that is the last word. */
const ASKED_LAST = 3;

/**
 * A machine is gone only if its id is not found and two full lists, far enough apart, lack it, and if no others
 * vanished with it. What was never shown takes longer, and was never there.
 */
export function missAll(
  draft: Draft,
  lacking: readonly DeploymentRow[],
  begun: Instant,
  context: Context,
): void {
  // All are marked first: what vanished together is found once, and whole, whatever comes first.
  const over = lacking.filter(({ id }) => isMissedForLong(draft, id, begun, context));
  if (over.length === 0) return;
  const { rows } = crowdOf(draft, context);
  for (const { id } of over) {
    const row = draft.deployments.get(id);
    if (!row?.missing || isHeldBack(draft, row, context, rows)) continue;
    const { missing } = row;
    if (row.lastSeen !== null) {
      draft.putDeployment({ ...row, end: "gone", ended: context.now });
      note(
        draft,
        context,
        "gone",
        `${row.id} is gone: two full lists lack it${missing.notFound ? ", and so does its id" : ""}`,
        {
          owner: row.owner,
          deployment: row.id,
        },
      );
    } else if (!context.wire.abilities.get) neverWas(draft, row, context);
    else keepMissing(draft, row, { ...missing, lists: ASKED_LAST, notFound: false });
  }
}

/** Remembers that this list lacks it. True if lists have for as long as it takes. */
function isMissedForLong(draft: Draft, id: string, begun: Instant, context: Context): boolean {
  const row = draft.deployments.get(id);
  if (!row) return false;
  // A record without an id may be this machine's: such a list shows no absence, and is none of the two.
  if (namelessLeft(draft.account) > 0) {
    keepMissing(draft, row, row.missing ?? { since: begun, lists: 0, notFound: false });
    return false;
  }
  // How long a computer was off nobody knows, and its wall clock may have been set: the wait begins anew.
  const before = row.missing?.since.boot === begun.boot ? row.missing : null;
  const missing =
    before && before.lists > 0
      ? { ...before, lists: isLater(begun, before.since) ? Math.max(2, before.lists) : before.lists }
      : { since: begun, lists: 1, notFound: before?.notFound ?? false };
  keepMissing(draft, row, missing);
  const asked = missing.notFound || !context.wire.abilities.get;
  const { gone, settle } = context.settings;
  const long = row.lastSeen === null ? neverShownFor(context) : row.returned ? Math.max(gone, settle) : gone;
  return asked && missing.lists >= 2 && elapsed(missing.since, begun) >= long;
}

function keepMissing(draft: Draft, row: DeploymentRow, missing: DeploymentRow["missing"]): void {
  const before = row.missing;
  if (missing?.lists !== before?.lists || missing?.since.boot !== before?.since.boot)
    draft.putDeployment({ ...row, missing });
}

/**
 * False for a list that may be cut: it lacks half of an owner's machines at once, and at least two. A second
 * list that lacks the same is believed. `lacked`: the machines that it should show and does not.
 */
export function isBelieved(
  draft: Draft,
  begun: Instant,
  lacked: readonly DeploymentRow[],
  context: Context,
): boolean {
  const { doubt } = draft.account;
  const lacking = suddenlyLacking(draft, lacked);
  const agreed =
    doubt !== null && isLater(begun, doubt.begun) && lacking.every((id) => doubt.missing.includes(id));
  if (lacking.length === 0 || agreed) {
    if (doubt !== null) draft.putAccount({ ...draft.account, doubt: null });
    return true;
  }
  draft.putAccount({ ...draft.account, doubt: { begun, missing: lacking } });
  note(
    draft,
    context,
    "distrust",
    `a list lacks ${lacking.length} machines at once (${lacking.join(", ")}): asking again`,
  );
  return false;
}

/** The machines of each owner that loses half of its machines, and at least two, in this one list. */
function suddenlyLacking(draft: Draft, lacked: readonly DeploymentRow[]): readonly string[] {
  const lost = lacked.filter((row) => row.owner !== null && row.missing === null && row.lastSeen !== null);
  if (lost.length < 2) return [];
  const sizes = new Map<string | null, number>();
  for (const row of draft.deployments.of("life", "living")) {
    if (!isOurs(row) || row.lastSeen === null) continue;
    const who = householdOf(row);
    sizes.set(who, (sizes.get(who) ?? 0) + 1);
  }
  return [...Map.groupBy(lost, householdOf)].flatMap(([who, lacking]) =>
    lacking.length >= 2 && lacking.length * 2 >= (sizes.get(who) ?? 0) ? lacking.map((row) => row.id) : [],
  );
}

/**
 * True for a machine that a list should show. One that was begun before a machine was seen says nothing about
 * it: answers overtake each other. A list may be as old as one settle time, and lack what was accepted just now.
 */
export function isLacking(row: DeploymentRow, begun: Instant, { settings }: Context): boolean {
  if (!isOurs(row)) return false;
  if (row.lastSeen !== null) return isLater(begun, row.lastSeen);
  return row.claimed !== null && elapsed(row.claimed, begun) >= settings.settle;
}

function isOurs({ claim }: DeploymentRow): boolean {
  return claim !== "foreign";
}
