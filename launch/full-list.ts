import type { Draft } from "../ledger/draft.ts";
import type { Instant } from "../ledger/instant.ts";
import type { DeploymentRow, ProfileKnowledge, Tenure } from "../ledger/rows.ts";
import type { Deployments, Intents } from "../ledger/tables.ts";
import type { Deployment } from "../service/service.ts";
import { isUnread, type Unread, unreadOf } from "../service/unread.ts";
import type { Context } from "./context.ts";
import { isLacking } from "./missing.ts";
import { recordObservation } from "./record-observation.ts";
import { isJudged } from "./unchanged.ts";
import { sightUnread } from "./unread.ts";

/*
 * A list mostly says what the one before said, of rows that nobody changed. So the newest list is kept beside
 * the table that it was written to, and of the next one only what is new is looked at: records, rows that were
 * put since, and what is judged at each list (unchanged.ts). If anything else changed that judgements rest on,
 * all of it is looked at.
 */

/** A full list of the account's deployments, whatever their status (specification, section 4). */
export interface FullList {
  /** When it was asked for. It may not show what happened later. */
  readonly begun: Instant;
  readonly deployments: readonly Item[];
}

type Item = Deployment | Unread;

/** A list that was written down whole. */
interface Written {
  readonly items: readonly Item[];
  /** Each id has one record. */
  readonly byId: Map<string, Item>;
  readonly grounds: Grounds;
  /** The table's, before the first record was judged: rows that were put since are looked at. */
  readonly version: number;
  /** Their records are judged at each list. */
  readonly open: readonly string[];
  /** They live, and it does not show them. */
  readonly unshown: readonly string[];
}

/** What every judgement rests on, beside its record and its row. */
interface Grounds {
  readonly wire: Context["wire"];
  readonly knowledge: ProfileKnowledge | undefined;
  readonly tenure: Tenure;
  readonly intents: Intents;
  readonly launches: number;
}

/** Where more differs all records are looked at. */
const MOST_NEWS = 1_000;

const newest = new WeakMap<Deployments, Written>();

/** Writes down each machine as a full list shows it. Returns what the list lacks, and what nobody can read. */
export function recordFullList(
  draft: Draft,
  { begun, deployments: items }: FullList,
  context: Context,
): { readonly lacking: readonly DeploymentRow[]; readonly nameless: readonly Unread[] } {
  const { deployments: table } = draft;
  const { version } = table;
  const grounds = groundsOf(draft, context);
  const before = newest.get(table);
  // Until all of this list is written down, nothing is known of it.
  newest.delete(table);
  const news = before && isSame(before.grounds, grounds) ? newsOf(items, before, table) : undefined;
  const byId = news?.byId ?? idsOf(items);
  const open: string[] = [];
  // 8, 9: what it shows is so, whatever it lacks. `failed` and `interrupted` are losses at once.
  for (const id of news?.ids ?? byId.keys()) {
    const item = byId.get(id);
    if (item === undefined) continue;
    if (isUnread(item)) sightUnread(draft, { ...item, id }, begun, context);
    else if (!isKnown(draft, item, context))
      recordObservation(draft, item, { by: "list", asked: begun }, context);
    else continue;
    if (isUnread(item) || !isKnown(draft, item, context)) open.push(id);
  }
  // Rows that were put just now are among them.
  const put = before && table.changedSince(before.version);
  const mayLack = news && put ? [...news.unshown, ...put] : undefined;
  const unshown = [...new Set(mayLack ?? livingIn(table))].filter(
    (id) => !byId.has(id) && table.get(id)?.end === null,
  );
  // An id that stands there twice may be in the list without its record of before.
  if (byId.size === items.length) newest.set(table, { items, byId, grounds, version, open, unshown });
  const lacking = unshown.flatMap((id) => table.get(id) ?? []).filter((row) => isLacking(row, begun));
  return {
    lacking: lacking.sort((one, other) => one.sequence - other.sequence),
    // 9: a record that nobody can read is no absence either.
    nameless: news ? [] : unreadOf(items).filter(({ id }) => id === undefined),
  };
}

/** By id: one list may show a machine twice, as when a page shifts. */
function idsOf(items: readonly Item[]): Map<string, Item> {
  return new Map(items.flatMap((each) => (each.id === undefined ? [] : [[each.id, each]])));
}

/** True if another list showed the same of this machine, and that changed nothing. */
function isKnown(draft: Draft, item: Deployment, context: Context): boolean {
  const row = draft.deployments.get(item.id);
  return row !== undefined && isJudged(draft, row, item, context);
}

function* livingIn(table: Deployments): Iterable<string> {
  for (const { id } of table.of("life", "living")) yield id;
}

function groundsOf({ account, intents }: Draft, { wire }: Context): Grounds {
  return {
    wire,
    knowledge: account.profiles[wire.profileHash],
    tenure: account.tenure,
    intents,
    launches: intents.version,
  };
}

function isSame(before: Grounds, now: Grounds): boolean {
  return (
    before.wire === now.wire &&
    before.knowledge === now.knowledge &&
    before.tenure === now.tenure &&
    before.intents === now.intents &&
    before.launches === now.launches
  );
}

/** What is new in a list: the ids to judge, and those that may live and are not in it. */
interface News {
  readonly byId: Map<string, Item>;
  readonly ids: ReadonlySet<string>;
  readonly unshown: readonly string[];
}

/** Undefined: all of the list has to be looked at. Else `before.byId` has become that of this list. */
function newsOf(items: readonly Item[], before: Written, table: Deployments): News | undefined {
  const put = table.changedSince(before.version);
  const changes = changesOf(items, before.items);
  if (!put || !changes) return undefined;
  const { byId } = before;
  for (const { id } of changes.gone) byId.delete(id);
  for (const item of changes.come) byId.set(item.id, item);
  if (byId.size !== items.length) return undefined;
  return {
    byId,
    // In the order of the list: machines that were never seen are numbered in it.
    ids: new Set([...changes.come.map(({ id }) => id), ...before.open, ...put]),
    unshown: [...before.unshown, ...changes.gone.map(({ id }) => id)],
  };
}

/** The records of both lists that do not stand in both at the same place. Undefined: too many, or unreadable. */
function changesOf(
  items: readonly Item[],
  before: readonly Item[],
): { readonly come: readonly Deployment[]; readonly gone: readonly Deployment[] } | undefined {
  const come: Deployment[] = [];
  const gone: Deployment[] = [];
  if (items === before) return { come, gone };
  for (let place = 0; place < Math.max(items.length, before.length); place++) {
    const [now, then] = [items[place], before[place]];
    if (now === then) continue;
    if (come.length + gone.length > MOST_NEWS) return undefined;
    for (const [item, side] of [
      [now, come],
      [then, gone],
    ] as const) {
      if (item === undefined) continue;
      if (isUnread(item)) return undefined;
      side.push(item);
    }
  }
  return { come, gone };
}
