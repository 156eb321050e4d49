import type { Json } from "../../../service/contract/service.ts";
import { nextLink } from "../../../service/list/http-link.ts";
import { readInteger } from "../../../service/text/json.ts";
import { parsePointer } from "../../../service/text/pointer.ts";
import { type Leaf, leavesOf, NOTHING } from "./leaves.ts";
import { isObject, type JsonObject, MAX_DEPTH } from "./lists.ts";

/** One thing that an answer says of its pages: its place and its value. */
export interface Sign<T> {
  readonly pointer: string;
  readonly value: T;
}

/** What one answer says of its pages, by the usual names. All are guesses; a person must confirm them. */
export interface PagingSigns {
  /** A Link header with rel="next" (RFC 8288). */
  readonly link: boolean;
  /** Where a cursor seems to stand. Its value is `null` if the place is empty. */
  readonly cursor: Sign<string | null> | undefined;
  /** The number of all items. */
  readonly total: Sign<number> | undefined;
  /** The number of this page. */
  readonly page: Sign<number> | undefined;
  /** The number of all pages. */
  readonly pages: Sign<number> | undefined;
  /** Items a page. */
  readonly size: Sign<number> | undefined;
  readonly offset: Sign<number> | undefined;
  /** Whether there are more items. The value of "this is the last page" is turned round. */
  readonly more: Sign<boolean> | undefined;
  /** How many items follow. */
  readonly left: Sign<number> | undefined;
}

// All words of a name must be known: `next_billing_at` is no cursor, and `total_spent` is no total.
const CURSOR = {
  one: ["next", "cursor", "continuation", "resume"],
  others: ["page", "token", "key", "url", "after"],
};
const TOTAL = {
  one: ["total", "count"],
  others: ["items", "elements", "results", "deployments", "offers", "records"],
};

/** Whole names, word by word: `pageNumber` and `page_number` both are "page number". */
const PAGE = ["page", "number", "page number", "page index", "current page", "current"];
const PAGES = ["pages", "total pages", "page count", "num pages", "last page"];
const SIZE = ["size", "page size", "per page", "limit"];
const OFFSET = ["offset", "skip"];
const MORE = ["has more", "more", "has next", "has next page"];
const LEFT = ["left", "remaining", "remaining items"];
const PAGING = /^(meta|page|pages|paging|pagination|cursor|list)$/;
const LAST = ["last", "is last", "is last page"];

/** What came of the first request for a list. Names of headers are in lower case. */
export interface FirstPage {
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it is not JSON. */
  readonly json: Json | undefined;
}

export function pagingSigns({ headers, json }: FirstPage): PagingSigns {
  const link = nextLink(headers.link) !== undefined;
  // Arrays hold the items, and an item's fields say nothing about pages.
  const leaves = isObject(json) ? leavesOf([withoutArrays(json)], NOTHING) : [];
  const named = (names: readonly string[]): readonly Leaf[] =>
    leaves.filter((leaf) => names.includes(leaf.names.join(" ")));
  const cursor = leaves.find(
    ({ names, values: [value] }) => isNamed(names, CURSOR) && typeof value !== "boolean",
  );
  const totals = leaves.filter(({ names }) => isNamed(names, TOTAL));
  return {
    link,
    cursor: cursor && {
      pointer: cursor.pointer,
      value: cursor.values.length === 0 ? null : String(cursor.values[0]),
    },
    // A `count` beside a `total` counts this page only.
    total: numberAt(totals.filter(({ names }) => names.includes("total"))) ?? numberAt(totals),
    page: numberAt(named(PAGE)),
    pages: numberAt(named(PAGES)),
    size: numberAt(named(SIZE)),
    offset: numberAt(named(OFFSET)),
    more: flagAt(named(MORE), (value) => value) ?? flagAt(named(LAST), (value) => !value),
    // Credits and requests may be left, too.
    left: numberAt(named(LEFT).filter(({ around }) => around.every((word) => PAGING.test(word)))),
  };
}

/** Whether the list goes on after this answer; undefined if the answer does not say it. */
export function goesOn(signs: PagingSigns, items: number): boolean | undefined {
  const { link, cursor, total, page, pages, offset, more, left } = signs;
  if ((left?.value ?? 0) > 0) return true;
  if (link || (cursor !== undefined && cursor.value !== null) || more?.value === true) return true;
  if (total !== undefined && total.value > (offset?.value ?? 0) + items) return true;
  // Pages count from 0 or from 1. Only page 1 of 2 is unclear: it counts as going on; a person decides.
  if (pages !== undefined && pages.value > Math.max(1, page?.value ?? 1)) return true;
  const isTold = [cursor, more, total, pages, left].some((sign) => sign !== undefined);
  return isTold ? false : undefined;
}

/** Whether the answer has fields for pages, even if everything came this time. */
export function hasPages({ cursor, page, pages, offset, more, left }: PagingSigns): boolean {
  return [cursor, page, pages, offset, more, left].some((sign) => sign !== undefined);
}

/** Each sign as a text for people: `/totalPages: 5`. */
export function signTexts(signs: PagingSigns): readonly string[] {
  const { link, cursor, page, pages, size, offset, total, more, left } = signs;
  const values = [page, pages, size, offset, total, left].flatMap((sign) =>
    sign === undefined ? [] : [`${sign.pointer}: ${sign.value}`],
  );
  return [
    ...(link ? ["a Link header with rel=next"] : []),
    ...(cursor === undefined || cursor.value === null
      ? []
      : [`what seems to be a cursor at ${cursor.pointer}`]),
    ...values,
    ...(more === undefined
      ? []
      : [`${more.pointer}, which says that ${more.value ? "more follows" : "nothing follows"}`]),
  ];
}

/** The last name in the pointer: `/meta/page` gives `page`. */
export function nameAt({ pointer }: Sign<unknown>): string {
  return parsePointer(pointer).at(-1) ?? "";
}

function numberAt(leaves: readonly Leaf[]): Sign<number> | undefined {
  for (const { pointer, values } of leaves) {
    const [value] = values;
    const number = typeof value === "boolean" ? undefined : readInteger(value as Json | undefined);
    if (number !== undefined && number >= 0) return { pointer, value: number };
  }
  return undefined;
}

function flagAt(leaves: readonly Leaf[], meaning: (value: boolean) => boolean): Sign<boolean> | undefined {
  const leaf = leaves.find(({ values: [value] }) => typeof value === "boolean");
  return leaf && { pointer: leaf.pointer, value: meaning(leaf.values[0] === true) };
}

/** No deeper than MAX_DEPTH: a hostile answer may be nested deeper than the stack can go. */
function withoutArrays(value: JsonObject, depth = 0): JsonObject {
  const kept = Object.entries(value).filter(
    ([, inner]) => !Array.isArray(inner) && (depth < MAX_DEPTH || !isObject(inner)),
  );
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, isObject(inner) ? withoutArrays(inner, depth + 1) : inner]),
  );
}

function isNamed(
  names: readonly string[],
  { one, others }: { readonly one: readonly string[]; readonly others: readonly string[] },
): boolean {
  return (
    names.some((word) => one.includes(word)) &&
    names.every((word) => one.includes(word) || others.includes(word))
  );
}
