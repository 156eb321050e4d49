import type { Json } from "../../service/contract/service.ts";
import { readText } from "../../service/text/json.ts";
import type { Shown } from "./saved/evidence.ts";
import { leavesOf, NOTHING } from "./shape/leaves.ts";
import type { FoundList } from "./shape/lists.ts";
import { pagingSigns } from "./shape/paging.ts";
import { cursorPaging, offsetPaging, type Paging } from "./shape/paging-guess.ts";

/** A saved page of a list, with its records. */
export interface SavedPage {
  readonly shown: Shown;
  readonly list: FoundList;
}

/** How a list goes on, and which files show it. */
export interface SavedPaging extends Paging {
  readonly why: string;
}

/**
 * How a list goes on, from two saved answers that differ in one parameter of their requests and show other
 * records. Undefined if no two of them do.
 */
export function pagingOfSaved(pages: readonly SavedPage[]): SavedPaging | undefined {
  for (const first of pages)
    for (const second of pages) {
      if (first === second || second.shown.query === undefined || shareRecords(first, second)) continue;
      const changed = [...second.shown.query].filter(
        ([name, value]) => first.shown.query?.get(name) !== value,
      );
      const found = changed
        .map(([name, value]) => entryOf(first, second, name, value, changed.length))
        .find((entry) => entry !== undefined);
      if (found !== undefined) return found;
    }
  return undefined;
}

function entryOf(
  first: SavedPage,
  second: SavedPage,
  name: string,
  value: string,
  changes: number,
): SavedPaging | undefined {
  const items = first.list.length;
  const total = pagingSigns(first.shown).total?.pointer;
  const why = `${second.shown.file} was asked with ${name}=${value.slice(0, 20)}, and shows others than ${first.shown.file}`;
  if (/^\d{1,9}$/.test(value)) {
    const number = Number(value);
    const before = Number(first.shown.query?.get(name) ?? Number.NaN);
    const [limit] =
      [...(second.shown.query ?? [])].find(([other, text]) => other !== name && text === String(items)) ?? [];
    const isPage = number === 2 ? !(before >= 2) : number === 1 && !(before >= 1);
    if (number === (before || 0) + items && (!isPage || /offset|skip|start/i.test(name)))
      return {
        ...offsetPaging(name, limit ?? "<the parameter that says how many items a page has>", items, total),
        why,
      };
    if (!isPage || changes > (limit === undefined ? 1 : 2)) return undefined;
    const keys = { pageParameter: name, sizeParameter: limit, first: number - 1, size: items, total };
    return { kind: "page", keys, why };
  }
  const cursor = leavesOf([withoutItems(first)], NOTHING).find(
    ({ values }) => readText(values[0] as Json) === value,
  );
  return cursor && { ...cursorPaging(name, cursor.pointer), why };
}

/** A cursor stands beside the items, never in one. */
function withoutItems({ shown: { json } }: SavedPage): Json {
  if (json === null || typeof json !== "object" || Array.isArray(json)) return null;
  return Object.fromEntries(Object.entries(json).filter(([, inner]) => !Array.isArray(inner)));
}

function shareRecords(one: SavedPage, other: SavedPage): boolean {
  const keys = new Set(one.list.objects.map(keyOf));
  return (
    one.list.length === 0 ||
    other.list.length === 0 ||
    other.list.objects.some((record) => keys.has(keyOf(record)))
  );
}

function keyOf(record: { readonly [key: string]: Json }): string {
  return JSON.stringify(readText(record.id) === undefined ? record : record.id);
}
