import type { Draft } from "../ledger/draft.ts";
import type { Instant } from "../ledger/instant.ts";
import { elapsed, isLater } from "../ledger/instant.ts";
import type { DeploymentRow, Owner } from "../ledger/rows.ts";
import type { Deployment } from "../service/service.ts";
import type { Context } from "./context.ts";
import { note } from "./events.ts";
import { reanchor } from "./reanchor.ts";
import { confirmShown, resolve } from "./resolve.ts";
import { sight } from "./sight.ts";

/** A full list of the account's deployments, whatever their status (specification, section 4). */
export interface FullList {
  /** When it was asked for: what happened later it may not show. */
  readonly begun: Instant;
  readonly deployments: readonly Deployment[];
}

/**
 * Writes down what a full list shows and concludes what may be concluded from it: ends, claims, absences. Whoever holds
 * a full list calls this: agent, provider and CLI.
 *
 * Returns false if the list is distrusted: it lacks half of an owner's machines at once (at least 2). Then nothing is
 * concluded from what it lacks until a second list agrees.
 */
export function observe(draft: Draft, list: FullList, context: Context): boolean {
  reanchor(draft, context);
  // By id: what one list shows twice, as when a page shifts, is still seen once.
  const shownOnce = new Map(list.deployments.map((shown) => [shown.id, shown]));
  for (const shown of shownOnce.values()) sight(draft, shown, { by: "list", asked: list.begun }, context);
  const shownIds = new Set(shownOnce.keys());
  if (!isBelieved(draft, list.begun, shownIds, context)) return false;
  if (!draft.account.list || isLater(list.begun, draft.account.list)) {
    draft.putAccount({
      ...draft.account,
      list: list.begun,
      watched: watchedSince(draft, list.begun, context),
    });
  }
  for (const row of draft.deployments.values()) {
    if (isLacking(row, list.begun, shownIds)) miss(draft, row, list.begun, context);
  }
  resolve(draft, list.begun, context);
  return true;
}

function watchedSince({ account }: Draft, begun: Instant, { settings }: Context): Instant {
  const { list, watched = begun } = account;
  return list !== null && elapsed(list, begun) <= settings.gone ? watched : begun;
}

/** The answer of a GET by id: as shown, or not found, which counts for a deployment that lists lack too. */
export function recordLook(
  draft: Draft,
  id: string,
  shown: Deployment | undefined,
  asked: Instant,
  context: Context,
): void {
  if (shown) {
    sight(draft, shown, { by: "get", asked }, context);
    for (const intent of draft.intents.values()) {
      confirmShown(draft, intent, context);
    }
    return;
  }
  const row = draft.deployments.get(id);
  if (row?.missing && !row.missing.notFound) {
    draft.putDeployment({ ...row, missing: { ...row.missing, notFound: true } });
  }
}

/** The deployments that lists lack and that a GET by id should be asked about. */
export function toLookUp(draft: Draft): readonly string[] {
  return [...draft.deployments.values()]
    .filter((row) => row.missing !== null && !row.missing.notFound && isLiving(row))
    .map((row) => row.id);
}

/**
 * The specification says that nothing is ever filtered from the list, so an absence is an anomaly, not a loss: it is
 * believed only when the id is not found either and two full lists, far enough apart, agree.
 */
function miss(draft: Draft, row: DeploymentRow, begun: Instant, context: Context): void {
  const missing = row.missing
    ? { ...row.missing, lists: isLater(begun, row.missing.since) ? 2 : row.missing.lists }
    : { since: begun, lists: 1, notFound: false };
  const asked = missing.notFound || !context.wire.abilities.get;
  if (asked && missing.lists >= 2 && elapsed(missing.since, begun) >= context.settings.gone) {
    draft.putDeployment({ ...row, missing, end: "gone", ended: context.now });
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
    return;
  }
  if (missing.lists !== row.missing?.lists) draft.putDeployment({ ...row, missing });
}

/** A cut list looks like a catastrophe: it is believed when a second one lacks the same machines. */
function isBelieved(draft: Draft, begun: Instant, shown: ReadonlySet<string>, context: Context): boolean {
  const { doubt } = draft.account;
  const lacking = suddenlyLacking(draft, begun, shown);
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

/** The ids of every owner that loses half of its machines, and at least two, in this one list. */
function suddenlyLacking(draft: Draft, begun: Instant, shown: ReadonlySet<string>): readonly string[] {
  const owned = new Map<string, DeploymentRow[]>();
  for (const row of draft.deployments.values()) {
    if (row.owner === null || !isLiving(row) || row.lastSeen === null) continue;
    const who = household(row.owner);
    owned.set(who, [...(owned.get(who) ?? []), row]);
  }
  return [...owned.values()].flatMap((rows) => {
    const lacking = rows.filter((row) => row.missing === null && isLacking(row, begun, shown));
    return lacking.length >= 2 && lacking.length * 2 >= rows.length ? lacking.map((row) => row.id) : [];
  });
}

/** Single deployments have one machine each: they are looked at together. */
function household(owner: Owner): string {
  return owner.startsWith("slot:") ? "slots" : owner;
}

/** A list that was begun before a machine was seen says nothing about it: answers overtake each other. */
function isLacking(row: DeploymentRow, begun: Instant, shown: ReadonlySet<string>): boolean {
  return isLiving(row) && row.lastSeen !== null && isLater(begun, row.lastSeen) && !shown.has(row.id);
}

function isLiving(row: DeploymentRow): boolean {
  return row.end === null && row.claim !== "foreign";
}
