import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import type { Deployments } from "../../ledger/tables.ts";
import type { Deployment } from "../../service/contract/service.ts";
import { isUnread, type Unread, unreadOf } from "../../service/contract/unread.ts";
import { areSameItems } from "../../service/same/keeping-same.ts";
import { createMemory } from "../../service/same/memory.ts";
import type { Context } from "../facts/context.ts";
import { isAsArchived } from "../machine/archived-record.ts";
import { storeObservation } from "../machine/store-observation.ts";
import { isJudged } from "../machine/unchanged.ts";
import { sightUnread } from "../machine/unread.ts";
import { isLacking } from "../resolve/missing.ts";

/*
 * A list mostly says what the one before said, of rows that nobody changed. So the newest list is kept beside
 * the table that it was written to, and of the next one only what is new is looked at: records, rows that were
 * put since, and what is judged at each list (machine/unchanged.ts). If anything else changed that judgements rest on,
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
  /** Where each id stands. There is one record of each. */
  readonly places: Map<string, number>;
  /** The table's, before the first record was judged: rows that were put since are looked at. */
  readonly version: number;
  /** Their records are judged at each list. */
  readonly open: readonly string[];
  /** They live, and it does not show them. */
  readonly unshown: readonly string[];
}

/** Where more differs all records are looked at. */
const MOST_NEWS = 1_000;

const newest = createMemory<Deployments, Written>();

/** Writes down each machine as a full list shows it. Returns what the list lacks, and what nobody can read. */
export function storeFullList(
  draft: Draft,
  { begun, deployments: items }: FullList,
  context: Context,
): { readonly lacking: readonly DeploymentRow[]; readonly nameless: readonly Unread[] } {
  const { deployments: table } = draft;
  const { version } = table;
  const grounds = groundsOf(draft, context);
  const before = newest.known(table, grounds);
  // Until all of this list is written down, nothing is known of it.
  newest.forget(table);
  const news = before && newsOf(items, before, table);
  const places = news?.places ?? placesOf(items);
  const open: string[] = [];
  // 8, 9: what it shows is so, whatever it lacks. `failed` and `interrupted` are losses at once.
  const judge = (id: string, item: Item): void => {
    if (isUnread(item)) sightUnread(draft, { ...item, id }, begun, context);
    else if (isKnown(draft, item, context)) return;
    else storeObservation(draft, item, { by: "list", asked: begun }, context);
    if (isUnread(item) || !isKnown(draft, item, context)) open.push(id);
  };
  for (const [id, place] of news?.toJudge ?? places) {
    judge(id, items[place] as Item);
    if (!news || areSameItems(groundsOf(draft, context), grounds)) continue;
    // It taught something: whatever comes after it is judged by that.
    for (const item of items.slice(place + 1)) if (item.id !== undefined) judge(item.id, item);
    break;
  }
  // Rows that were put just now are among them.
  const put = before && table.changedSince(before.version);
  const mayLack = news && put ? [...news.unshown, ...put] : undefined;
  const unshown = [...new Set(mayLack ?? livingIn(table))].filter(
    (id) => !places.has(id) && table.get(id)?.end === null,
  );
  // A record without an id has no place.
  if (places.size === items.length) newest.keep(table, grounds, { items, places, version, open, unshown });
  const lacking = unshown
    .flatMap((id) => table.get(id) ?? [])
    .filter((row) => isLacking(row, begun, context));
  return {
    lacking: lacking.sort((one, other) => one.sequence - other.sequence),
    // 9: a record that nobody can read is no absence either.
    nameless: news ? [] : unreadOf(items).filter(({ id }) => id === undefined),
  };
}

/** Where each id stands. The service gives each but once (service/list/contradiction.ts). */
function placesOf(items: readonly Item[]): Map<string, number> {
  return new Map(items.flatMap((each, place) => (each.id === undefined ? [] : [[each.id, place]])));
}

/** True if another list showed the same of this machine, and that changed nothing. */
function isKnown(draft: Draft, item: Deployment, context: Context): boolean {
  if (draft.archive.has(item.id)) return isAsArchived(draft, item, context);
  const row = draft.deployments.ever(item.id);
  return row !== undefined && isJudged(draft, row, item, context);
}

function* livingIn(table: Deployments): Iterable<string> {
  for (const { id } of table.of("life", "living")) yield id;
}

/** What every judgement rests on, beside its record and its row. */
function groundsOf({ account, intents }: Draft, { wire }: Context): readonly unknown[] {
  return [wire, account.profiles[wire.profileHash], account.tenure, intents, intents.version];
}

/** What is new in a list. */
interface News {
  readonly places: Map<string, number>;
  /** In its order: machines that were never seen are numbered in it, and one may teach what another is. */
  readonly toJudge: readonly (readonly [string, number])[];
  /** These may live, and may not be in it. */
  readonly unshown: readonly string[];
}

/** Undefined: all of the list has to be looked at. Else the places of before have become those of this list. */
function newsOf(items: readonly Item[], before: Written, table: Deployments): News | undefined {
  const put = table.changedSince(before.version);
  const changes = changesOf(items, before.items);
  if (!put || !changes) return undefined;
  const { places } = before;
  for (const [{ id }] of changes.gone) places.delete(id);
  for (const [{ id }, place] of changes.come) places.set(id, place);
  if (places.size !== items.length) return undefined;
  const ids = new Set([...changes.come.map(([{ id }]) => id), ...before.open, ...put]);
  return {
    places,
    toJudge: [...ids]
      .flatMap((id) => {
        const place = places.get(id);
        return place === undefined ? [] : [[id, place] as const];
      })
      .sort(([, one], [, other]) => one - other),
    unshown: [...before.unshown, ...changes.gone.map(([{ id }]) => id)],
  };
}

type Placed = readonly [Deployment, number];

/** The records of either list that do not stand in both at the same place. Undefined: too many, or unreadable. */
function changesOf(
  items: readonly Item[],
  before: readonly Item[],
): { readonly come: readonly Placed[]; readonly gone: readonly Placed[] } | undefined {
  const come: Placed[] = [];
  const gone: Placed[] = [];
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
      side.push([item, place]);
    }
  }
  return { come, gone };
}
