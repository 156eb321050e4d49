import { createHash } from "node:crypto";
import { FleetkeeperError, unhandled } from "./errors.ts";
import { nextLink } from "./http-link.ts";
import { readInteger, readText } from "./json.ts";
import { LONGEST_CURSOR, LONGEST_LIST_MS, MOST_LIST_BYTES, MOST_PAGES, MOST_RECORDS } from "./limits.ts";
import type { PageMemory } from "./page-memory.ts";
import { valueAt } from "./pointer.ts";
import type { WireProfile } from "./profile.ts";
import type { Answer, Read } from "./reader.ts";
import type { Redaction } from "./redaction.ts";
import type { Json } from "./service.ts";
import { isUnread, type Unread } from "./unread.ts";
import type { WallClock } from "./wall-clock.ts";

export type ListProfile = NonNullable<WireProfile["offers"]>["list"];

/** Makes a value of one record of a list. `where` names the record in the text about an unreadable one. */
type ReadItem<T> = (record: Json, where: string) => T | Unread;

export interface ListRequest<T extends object> {
  /** What is listed, in messages: `deployments`. */
  readonly name: string;
  readonly url: string;
  readonly profile: ListProfile;
  readonly readItem: ReadItem<T>;
  /** Equal only for two records of the same thing. */
  readonly keyOf: (item: T) => string;
  /** What its pages said when it was last read. */
  readonly memory: PageMemory;
}

/**
 * Reads a list to its end, or throws LIST_INCOMPLETE. From a list that was cut unseen a client launches what
 * it already has. So every sign of a cut is an error, and no end is taken for granted:
 *
 * - `none`: one answer; a Link to a next page contradicts the profile.
 * - `page`, `offset`: until a page is empty, or as many items came as the mapped total says. A short page is
 *   no end, since a service may give fewer items a page than it was asked for.
 * - `cursor`, `link`: until there is no next one. A repeated one is an error; so is a Link to another origin.
 *
 * An item that is listed twice (pages shift during the read) is kept once, as it was seen last. All pages
 * together keep the limits of one list (limits.ts), or a list without an end would be read for ever.
 */
export async function readList<T extends object>(
  request: ListRequest<T>,
  read: Read,
  redact: Redaction,
  clock: WallClock,
  signal: AbortSignal,
): Promise<readonly (T | Unread)[]> {
  const { name, profile, readItem, keyOf, memory } = request;
  memory.begin();
  const begun = clock.now();
  const items = new Map<string, T | Unread>();
  const earlier: ReadonlySet<string>[] = [];
  const addresses = new Set<string>();
  const cut = (message: string): FleetkeeperError =>
    new FleetkeeperError("LIST_INCOMPLETE", `The list of ${name} cannot be known to be whole: ${message}`);

  let arrived = 0;
  let bytes = 0;
  let url: string | undefined = firstUrl(request);
  for (let page = 1; url !== undefined; page++) {
    if (page > MOST_PAGES) throw cut(`it goes on after ${MOST_PAGES} pages, and no more are read.`);
    addresses.add(url);
    const address = url;
    const answer = await read(url, signal, (body) => memory.parse(address, body));
    bytes += answer.bytes;
    if (bytes > MOST_LIST_BYTES)
      throw cut(`its ${page} pages so far are ${bytes} bytes, and at most ${MOST_LIST_BYTES} are read.`);
    const records = itemsOf(answer, profile, cut, redact);
    arrived += records.length;
    if (arrived > MOST_RECORDS)
      throw cut(`it has more than ${MOST_RECORDS} records, which are the most that are read.`);
    const seen = new Set<string>();
    const known = items.size;
    const equal = new Map<string, number>();
    for (const [index, record] of records.entries()) {
      const item = readItem(record, `${name}[${index}]${page === 1 ? "" : ` of page ${page}`}`);
      const key = isUnread(item) ? keyOfUnread(record, equal) : keyOf(item);
      seen.add(key);
      items.set(key, item);
    }
    const isRepeated = (page: ReadonlySet<string>): boolean =>
      page.size === seen.size && [...seen].every((key) => page.has(key));
    // A page with anything new repeats none.
    if (seen.size > 0 && items.size === known && earlier.some(isRepeated)) {
      throw cut(
        `page ${page} holds the same ${name} as an earlier page${profile.pagination.kind === "page" || profile.pagination.kind === "offset" ? `, as if the service did not know the parameter of the page. Correct pagination, or map its "total" if the service repeats the last page` : ""}.`,
      );
    }
    earlier.push(seen);
    url = nextUrl({
      request,
      answer,
      page,
      arrived,
      distinct: items.size,
      count: records.length,
      cut,
      redact,
    });
    if (url !== undefined && addresses.has(url))
      throw cut(`after page ${page} the service points back to a page that was already read.`);
    if (url !== undefined && clock.now() - begun > LONGEST_LIST_MS)
      throw cut(`page ${page} came ${LONGEST_LIST_MS / 60_000} minutes after it was begun, and it goes on.`);
  }
  return [...items.values()];
}

/** A key from the content: a repeated page must be noticed. Equal records of one page count as several. */
function keyOfUnread(record: Json, equal: Map<string, number>): string {
  const content = createHash("sha256").update(JSON.stringify(record)).digest("base64");
  const nth = (equal.get(content) ?? 0) + 1;
  equal.set(content, nth);
  return `unread ${content} ${nth}`;
}

interface Turn {
  readonly request: Pick<ListRequest<object>, "url" | "profile" | "name">;
  readonly answer: Answer;
  readonly page: number;
  /** Items of all pages, with repeated ones: an offset counts them too. */
  readonly arrived: number;
  readonly distinct: number;
  /** Items of this page. */
  readonly count: number;
  readonly cut: (message: string) => FleetkeeperError;
  readonly redact: Redaction;
}

/** The address of the next page; undefined at the end of the list. */
function nextUrl(turn: Turn): string | undefined {
  const { request, answer, page, arrived, cut, redact } = turn;
  const { pagination } = request.profile;
  const link = nextLink(answer.headers.link);
  switch (pagination.kind) {
    case "none":
      if (link !== undefined)
        throw cut('the profile says pagination "none", but the answer links to a next page. Use kind: link.');
      return undefined;
    case "page":
    case "offset": {
      if (isEnd(turn, pagination.total)) {
        if (link !== undefined)
          throw cut(`page ${page} is the last one by the profile, but it links to a next page.`);
        return undefined;
      }
      return pagination.kind === "page"
        ? withQuery(firstUrl(request), { [pagination.pageParameter]: pagination.first + page })
        : withQuery(firstUrl(request), { [pagination.offsetParameter]: arrived });
    }
    case "cursor": {
      const value = valueAt(answer.json, pagination.next);
      if (value === undefined || value === null || value === "") return undefined;
      const cursor = readText(value);
      if (cursor === undefined || cursor.length > LONGEST_CURSOR)
        throw cut(
          `what stands at ${pagination.next} (deployments or offers pagination.next) is no cursor: ${cursor ? `it has ${cursor.length} characters, and at most ${LONGEST_CURSOR} are sent` : "no text and no number"}.`,
        );
      return withQuery(firstUrl(request), { [pagination.cursorParameter]: cursor });
    }
    case "link": {
      if (link === undefined) return undefined;
      const next = URL.canParse(link, answer.url) ? new URL(link, answer.url) : undefined;
      if (next?.origin !== new URL(answer.url).origin) {
        throw cut(
          `page ${page} links to ${redact.text(link)}, which is not at the service's own address. The credential is not sent there.`,
        );
      }
      return next.href;
    }
    default:
      return unhandled(pagination);
  }
}

function isEnd({ answer, distinct, count, cut }: Turn, pointer: string | undefined): boolean {
  if (pointer === undefined) return count === 0;
  const total = readInteger(valueAt(answer.json, pointer));
  if (total === undefined || total < 0)
    throw cut(`there is no total at ${pointer || "the top of the answer"}.`);
  if (count > total) throw cut(`the total at ${pointer} is ${total}, but one page alone holds ${count}.`);
  if (distinct < total && count === 0)
    throw cut(`${total} are there by the answer's total, but only ${distinct} arrived.`);
  return distinct >= total;
}

function itemsOf(
  { json, url }: Answer,
  { items }: ListProfile,
  cut: Turn["cut"],
  redact: Redaction,
): readonly Json[] {
  const value = valueAt(json, items);
  if (Array.isArray(value)) return value as readonly Json[];
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

function firstUrl({ url, profile: { query = {}, pagination } }: Turn["request"]): string {
  switch (pagination.kind) {
    case "page":
      return withQuery(url, {
        ...query,
        [pagination.pageParameter]: pagination.first,
        ...(pagination.sizeParameter === undefined ? {} : { [pagination.sizeParameter]: pagination.size }),
      });
    case "offset":
      return withQuery(url, {
        ...query,
        [pagination.offsetParameter]: 0,
        [pagination.limitParameter]: pagination.limit,
      });
    case "cursor":
      return withQuery(url, {
        ...query,
        ...(pagination.sizeParameter === undefined || pagination.size === undefined
          ? {}
          : { [pagination.sizeParameter]: pagination.size }),
      });
    case "none":
    case "link":
      return withQuery(url, query);
    default:
      return unhandled(pagination);
  }
}

function withQuery(url: string, query: Readonly<Record<string, string | number | boolean>>): string {
  const next = new URL(url);
  for (const [name, value] of Object.entries(query)) next.searchParams.set(name, String(value));
  return next.href;
}
