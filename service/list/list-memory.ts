import { isUnread, type Unread } from "../contract/unread.ts";
import type { JsonCost } from "../text/json.ts";
import type { Earlier, Page } from "./list-page.ts";

/** A list that was read to its end. */
export interface WholeList<T> {
  readonly pages: readonly Page<T>[];
  /** How many different items there were up to the end of each page. */
  readonly known: readonly number[];
  readonly items: readonly (T | Unread)[];
}

/** What the next list of the same kind need not find out again. What it says again is the same object (same/memory.ts). */
export interface ListMemory<T> {
  newest: WholeList<T>;
  /** Of parsing its pages. */
  readonly cost: JsonCost;
}

export function createListMemory<T>(): ListMemory<T> {
  return { newest: { pages: [], known: [], items: [] }, cost: { least: 0 } };
}

/**
 * Finds in the list before what a record of the new one was there. Records are added and dropped at one end
 * more often than in the middle, so the next one is looked for beside the last one that was found.
 */
export function createEarlier<T extends object>(
  items: readonly (T | Unread)[],
  keyOf: (item: T) => string,
): (first: number) => Earlier<T> {
  let shift = 0;
  let places: ReadonlyMap<string, number> | undefined;
  const itemAt = (place: number): T | undefined => {
    const item = items[place];
    return item === undefined || isUnread(item) ? undefined : item;
  };
  return (first) => ({
    at: (index) => itemAt(first + index + shift),
    moved(index, key) {
      places ??= new Map(items.flatMap((item, place) => (isUnread(item) ? [] : [[keyOf(item), place]])));
      const place = places.get(key);
      shift = place === undefined ? shift - 1 : place - first - index;
      return place === undefined ? undefined : itemAt(place);
    },
  });
}
