import { FleetkeeperError } from "../contract/errors.ts";
import { LONGEST_LIST_MS, MOST_LIST_BYTES, MOST_PAGES, MOST_RECORDS } from "../contract/limits.ts";
import { digestOf } from "../contract/transport.ts";
import type { Unread } from "../contract/unread.ts";
import type { Question, Read } from "../http/reader.ts";
import type { WallClock } from "../http/wall-clock.ts";
import { areSameItems } from "../same/keeping-same.ts";
import { isSamePage } from "../same/says-the-same.ts";
import type { Redaction } from "../text/redaction.ts";
import { createEarlier, type ListMemory } from "./list-memory.ts";
import { type Page, type PageRequest, readPage } from "./list-page.ts";
import { firstUrl, nextUrl } from "./pagination.ts";

export interface ListRequest<T extends object> extends Omit<PageRequest<T>, "cut" | "redact"> {
  readonly question: Question;
  /** What it said when it was last read. */
  readonly memory: ListMemory<T>;
  /** One record of two of the same thing, which may contradict each other. */
  readonly agreed: (one: T | Unread, other: T | Unread, onePage: boolean) => T | Unread;
}

const ASK_FOR_LESS =
  'If the service can leave out what ended long ago, ask it to, with "query" in this list of the profile.';

/**
 * Reads a list to its end, or throws LIST_INCOMPLETE. From a list that was cut unseen a client launches what
 * it already has. So every sign of a cut is an error, and no end is taken for granted:
 *
 * - `none`: one answer; a Link to a next page, or a word for one (next-page.ts), contradicts the profile.
 * - `page`, `offset`: until a page is empty, or as many items came as the mapped total says. A short page is
 *   no end, since a service may give fewer items a page than it was asked for.
 * - `cursor`, `link`: until there is no next one. A repeated one is an error; so is a Link to another origin.
 *
 * An item that is listed twice (pages shift during the read) is kept once, as the caller says. All pages
 * together keep the limits of one list (contract/limits.ts), or a list without an end would be read for ever.
 *
 * A list that says what the one before said is that one itself, and so is each item that says the same. Null: all that is
 * said is null, and a total of 0.
 */
export async function readList<T extends object>(
  request: ListRequest<T>,
  read: Read,
  redact: Redaction,
  clock: WallClock,
  signal: AbortSignal,
): Promise<readonly (T | Unread)[] | null> {
  const { name, profile, memory } = request;
  const last = memory.newest;
  const earlierFrom = createEarlier(last.items, request.keyOf);
  const begun = clock.now();
  const pages: Page<T>[] = [];
  /** Undefined as long as each page was the last list's own. */
  let merged: Map<string, T | Unread> | undefined;
  const known: number[] = [];
  const addresses = new Set<string>();
  const isRepeated = repetition<T>();
  const cut = (message: string): FleetkeeperError =>
    new FleetkeeperError("LIST_INCOMPLETE", `The list of ${name} cannot be known to be whole: ${message}`);
  const pageRequest = { ...request, cut, redact };

  let arrived = 0;
  let bytes = 0;
  let distinct = 0;
  let url: string | undefined = firstUrl(request.question.url, profile);
  for (let page = 1; url !== undefined; page++) {
    if (page > MOST_PAGES) throw cut(`it goes on after ${MOST_PAGES} pages, and no more are read.`);
    addresses.add(url);
    const address = url;
    const before = last.pages[page - 1];
    const answer = await read({ ...request.question, url }, signal, (received) => {
      const digest = received.digest ?? digestOf([received.body]);
      const isSame = before?.url === address && before.digest === digest;
      const body = isSame ? "" : received.body;
      const size = isSame ? before.bytes : Buffer.byteLength(body);
      bytes += size;
      if (bytes > MOST_LIST_BYTES)
        throw cut(
          `its ${page} pages so far are ${bytes} bytes, and at most ${MOST_LIST_BYTES} are read. ${ASK_FOR_LESS}`,
        );
      if (isSame) return before;
      const place = { url: address, page, bytes: size, digest, earlier: earlierFrom(distinct) };
      const read = readPage(pageRequest, place, body, memory.cost);
      return before && isSamePage(before, read) ? Object.assign(before, { digest, bytes: size }) : read;
    });
    const current = answer.json;
    const count = current.items.length;
    arrived += count;
    if (arrived > MOST_RECORDS)
      throw cut(
        `it has more than ${MOST_RECORDS} records, which are the most that are read. ${ASK_FOR_LESS}`,
      );
    if (merged === undefined && current !== before) merged = merge(new Map(), pages, request.agreed);
    const now = merged ? merge(merged, [current], request.agreed).size : (last.known[page - 1] ?? 0);
    // A page with anything new repeats none.
    if (count > 0 && now === distinct && isRepeated(current, pages)) {
      throw cut(
        `page ${page} holds the same ${name} as an earlier page${profile.pagination.kind === "page" || profile.pagination.kind === "offset" ? `, as if the service did not know the parameter of the page. Correct pagination, or map its "total" if the service repeats the last page` : ""}.`,
      );
    }
    distinct = now;
    known.push(now);
    pages.push(current);
    url = nextUrl({
      profile,
      list: request.question.url,
      url,
      link: answer.headers.link,
      end: current.end,
      page,
      arrived,
      distinct,
      count,
      cut,
      redact,
    });
    if (url !== undefined && addresses.has(url))
      throw cut(`after page ${page} the service points back to a page that was already read.`);
    if (url !== undefined && clock.now() - begun > LONGEST_LIST_MS)
      throw cut(`page ${page} came ${LONGEST_LIST_MS / 60_000} minutes after it was begun, and it goes on.`);
  }
  // Who knows better must not believe it, so it is no empty list for anybody who does not say so.
  if (pages[0]?.isNull) return null;
  if (merged === undefined && pages.length === last.pages.length) return last.items;
  const all = [...(merged ?? merge(new Map(), pages, request.agreed)).values()];
  const items = areSameItems(all, last.items) ? last.items : all;
  memory.newest = { pages, known, items };
  return items;
}

/** Adds the items of some pages. One that is there already keeps its place. */
function merge<T extends object>(
  items: Map<string, T | Unread>,
  pages: readonly Page<T>[],
  agreed: ListRequest<T>["agreed"],
): Map<string, T | Unread> {
  for (const page of pages)
    for (let index = 0; index < page.items.length; index++) {
      const key = page.keys[index] as string;
      const item = page.items[index] as T | Unread;
      const before = items.get(key);
      items.set(key, before === undefined ? item : agreed(before, item, page.keys.indexOf(key) < index));
    }
  return items;
}

/** True for a page that has the items of an earlier one. */
function repetition<T>(): (page: Page<T>, earlier: readonly Page<T>[]) => boolean {
  const sets = new Map<Page<T>, ReadonlySet<string>>();
  const keysOf = (page: Page<T>): ReadonlySet<string> => {
    const keys = sets.get(page) ?? new Set(page.keys);
    sets.set(page, keys);
    return keys;
  };
  return (page, earlier) => {
    const keys = keysOf(page);
    return earlier.some((other) => {
      const others = keysOf(other);
      return others.size === keys.size && [...keys].every((key) => others.has(key));
    });
  };
}
