import { createHash } from "node:crypto";
import type { FleetkeeperError } from "../contract/errors.ts";
import { MOST_PAGE_RECORDS } from "../contract/limits.ts";
import type { Json } from "../contract/service.ts";
import { isUnread, type Unread } from "../contract/unread.ts";
import { type Depth, nestedRecords } from "../profile/nested.ts";
import { demandExact, type JsonCost, readInteger, readJson } from "../text/json.ts";
import { valueAt } from "../text/pointer.ts";
import type { Redaction } from "../text/redaction.ts";
import { nextPageSign } from "./next-page.ts";
import { endPointer, type ListProfile } from "./pagination.ts";

/** One page of a list, as it was read. The parsed tree is not kept: it is as large as the page. */
export interface Page<T> {
  readonly url: string;
  /** Of its body. A page that says what it said is not read again. */
  digest: string;
  /** Of the body. */
  bytes: number;
  readonly items: readonly (T | Unread)[];
  /** Of each item. */
  readonly keys: readonly string[];
  /** What it says of how the list goes on. */
  readonly end: Json | undefined;
  /** It has null in the place of its items, beside a total of 0. */
  readonly isNull: boolean;
}

/** What is common to the pages of one list. */
export interface PageRequest<T> {
  /** What is listed, in messages: `deployments`. */
  readonly name: string;
  readonly profile: ListProfile;
  /** Where its records stand below others. */
  readonly deep?: Depth | undefined;
  /** Records of which this is not true are left out. */
  readonly isItem?: ((record: Json) => boolean) | undefined;
  /**
   * Makes a value of one record, or returns `before` itself, if that says the same. `where` names the record
   * in the text about an unreadable one.
   */
  readonly readItem: (record: Json, before: T | undefined, where: () => string) => T | Unread;
  /** Equal only for two records of the same thing. */
  readonly keyOf: (item: T) => string;
  readonly cut: (message: string) => FleetkeeperError;
  readonly redact: Redaction;
}

/** Where a page stands. */
export interface PageSource<T> {
  readonly url: string;
  /** From 1. */
  readonly page: number;
  /** Of its body. */
  readonly bytes: number;
  readonly digest: string;
  /** Finds what the page's record of this index was in the list before, or may have been. */
  readonly earlier: Earlier<T>;
}

/** The items of the list before. */
export interface Earlier<T> {
  /** What stood where this one stands, if none was added or dropped before it. */
  at(index: number): T | undefined;
  /** If {@link at} was another one: where this one stood. Undefined if it is new. */
  moved(index: number, key: string): T | undefined;
}

/** Reads the body of one page. Throws SyntaxError or RangeError if it is no JSON, or absurdly deep. */
export function readPage<T extends object>(
  request: PageRequest<T>,
  place: PageSource<T>,
  text: string,
  cost: JsonCost,
): Page<T> {
  return readJson(text, (json) => pageOf(request, place, json), cost);
}

function pageOf<T extends object>(
  request: PageRequest<T>,
  { url, page, bytes, digest, earlier }: PageSource<T>,
  json: Json,
): Page<T> {
  const { name, profile, readItem, keyOf } = request;
  const pointer = endPointer(profile);
  const end = pointer === undefined ? undefined : valueAt(json, pointer);
  const isNull = isNullOfNone(profile, json, end);
  const all = isNull ? [] : itemsOf(request, url, json);
  // Of records below records nobody knows which of them a total counts.
  const more =
    profile.pagination.kind === "none" && nextPageSign(json, request.deep ? undefined : all.length);
  if (more)
    throw request.cut(
      `the profile says pagination "none", but by the answer more follows: ${more}. Say in "pagination" how the list goes on.`,
    );
  const records = request.isItem ? all.filter(request.isItem) : all;
  if (records.length > MOST_PAGE_RECORDS)
    throw request.cut(
      `page ${page} has ${records.length} records, and at most ${MOST_PAGE_RECORDS} are read of one. Ask for smaller pages, with "pagination" in this list of the profile.`,
    );
  demandExact(end);
  const equal = new Map<string, number>();
  const items: (T | Unread)[] = [];
  const keys: string[] = [];
  for (const [index, record] of records.entries()) {
    const where = (): string => `${name}[${index}]${page === 1 ? "" : ` of page ${page}`}`;
    const before = earlier.at(index);
    let item = readItem(record, before, where);
    const key = isUnread(item) ? (item.id ?? keyOfUnread(record, equal)) : keyOf(item);
    if (item !== before && !isUnread(item) && (before === undefined || key !== keyOf(before))) {
      const moved = earlier.moved(index, key);
      if (moved !== undefined) item = readItem(record, moved, where);
    }
    items.push(item);
    keys.push(key);
  }
  return { url, digest, bytes, items, keys, end, isNull };
}

/** A key from the content: a repeated page must be noticed. Equal records of one page count as several. */
function keyOfUnread(record: Json, equal: Map<string, number>): string {
  const content = createHash("sha256").update(JSON.stringify(record)).digest("base64");
  const nth = (equal.get(content) ?? 0) + 1;
  equal.set(content, nth);
  return `unread ${content} ${nth}`;
}

/** Some services write an empty list so. Without the total it may as well be one that was cut off. */
function isNullOfNone({ items, pagination }: ListProfile, json: Json, end: Json | undefined): boolean {
  return pagination.kind !== "cursor" && valueAt(json, items) === null && readInteger(end) === 0;
}

function itemsOf<T>(
  { profile: { items }, deep, cut, redact }: PageRequest<T>,
  url: string,
  json: Json,
): readonly Json[] {
  const value = deep ? nestedRecords(json, items, deep) : valueAt(json, items);
  if (Array.isArray(value)) return value as readonly Json[];
  if (value === null)
    throw cut(
      `GET ${redact.text(url, 500)} has null at ${items || "its top"}. That is an empty list only beside a total of 0: map "total" in the pagination of this list, if the answer has one. Else correct "items".`,
    );
  const arrays =
    json !== null && typeof json === "object"
      ? Object.entries(json).flatMap(([key, inner]) => (Array.isArray(inner) ? [`/${key}`] : []))
      : [];
  const there = Array.isArray(json)
    ? '"" (the answer itself)'
    : arrays.join(", ") || "nowhere at its top level";
  throw cut(
    `GET ${redact.text(url, 500)} has no array at ${items === "" ? '"" (the answer itself)' : items}. Arrays stand at: ${redact.text(there)}. Correct "items" in the profile.`,
  );
}
