import { goesOn, hasPages, nameAt, type PagingSigns, signTexts } from "./paging.ts";
import { yamlText } from "./texts.ts";

/** How a list goes on, as a profile says it. A value that begins with `<` is for a person to fill in. */
export interface Paging {
  readonly kind: string;
  readonly keys: Readonly<Record<string, string | number | undefined>>;
}

/** One way in which a list may go on, with the query for the next page. */
export interface PagingGuess extends Paging {
  readonly query: Readonly<Record<string, string | number>>;
}

/** A guess that was tried: its GET showed records that the first answer does not have. */
export interface ConfirmedPaging {
  readonly guess: PagingGuess;
  /** How many records that page has. None of them is in the first answer. */
  readonly others: number;
}

/** At most so many GETs are sent to find the parameter. */
const MOST_GUESSES = 4;

/** Ways to ask for the next page, from names in the first answer. They are guesses: a GET tries each. */
export function pagingGuesses(signs: PagingSigns, items: number): readonly PagingGuess[] {
  if (goesOn(signs, items) !== true || signs.link || items === 0) return [];
  return guesses(signs, items).slice(0, MOST_GUESSES);
}

function guesses(signs: PagingSigns, items: number): readonly PagingGuess[] {
  const { cursor, page, offset, size } = signs;
  if (cursor !== undefined && cursor.value !== null) {
    const address = addressIn(cursor.value);
    if (address) return addressGuesses(address, signs, items);
    const { value, pointer } = cursor;
    return cursorNames(nameAt(cursor)).map((name) => ({
      query: { [name]: value },
      ...cursorPaging(name, pointer),
    }));
  }
  const limit = { name: size === undefined ? "limit" : nameAt(size), value: size?.value || items };
  if (offset !== undefined)
    return [byOffset(nameAt(offset), offset.value + items, limit.name, limit.value, signs)];
  if (page !== undefined) {
    const { value: first } = page;
    if (first !== 0 && first !== 1) return [];
    return [...new Set([nameAt(page), "page"])].map((name) => byPage(name, first, signs, items));
  }
  // No name shows: the usual ways are tried. A service that counts from 1 repeats its answer as page 1.
  return [
    byPage("page", 0, signs, items),
    byPage("page", 1, signs, items),
    byOffset("offset", items, limit.name, limit.value, signs),
  ];
}

function byPage(name: string, first: 0 | 1, { size, total }: PagingSigns, items: number): PagingGuess {
  const keys = { pageParameter: name, first, size: size?.value || items, total: total?.pointer };
  return { kind: "page", keys, query: { [name]: first + 1 } };
}

function byOffset(
  name: string,
  next: number,
  limitName: string,
  limit: number,
  { total }: PagingSigns,
): PagingGuess {
  return {
    ...offsetPaging(name, limitName, limit, total?.pointer),
    query: { [name]: next, [limitName]: limit },
  };
}

export function offsetPaging(
  offsetParameter: string,
  limitParameter: string,
  limit: number | string,
  total: string | undefined,
): Paging {
  return { kind: "offset", keys: { offsetParameter, limitParameter, limit, total } };
}

export function cursorPaging(cursorParameter: string, next: string): Paging {
  return { kind: "cursor", keys: { cursorParameter, next } };
}

/** The lines of a profile for it. */
export function paginationLines({ kind, keys }: Paging, why: string): readonly string[] {
  return [
    "pagination:",
    `  kind: ${kind}${why === "" ? "" : `  # ${why}`}`,
    ...Object.entries(keys).flatMap(([key, value]) =>
      value === undefined
        ? []
        : [`  ${key}: ${/^(\d+|<.*>)$/s.test(String(value)) ? value : yamlText(String(value))}`],
    ),
  ];
}

/** `next_page_token` may be sent as `page_token` or under its own name. `next` alone says nothing. */
function cursorNames(name: string): readonly string[] {
  const bare = name.replace(/^next[_-]?/i, "");
  const own = bare === "" ? [] : [bare.charAt(0).toLowerCase() + bare.slice(1), name];
  return [...new Set([...own, "cursor", "after", ...(bare === "" ? [name] : [])])];
}

/** The query of the next page's address, if a service shows that address: it holds the parameters. */
function addressIn(value: string): URLSearchParams | undefined {
  if (!/^(https?:\/\/|\/|\?)/.test(value) || !value.includes("?")) return undefined;
  const base = "https://address.invalid";
  return URL.canParse(value, base) ? new URL(value, base).searchParams : undefined;
}

/** A profile cannot follow an address in a body. It can count pages or items, if the address does that. */
function addressGuesses(address: URLSearchParams, signs: PagingSigns, items: number): readonly PagingGuess[] {
  const numbers = [...address].filter(([, value]) => /^\d{1,9}$/.test(value));
  const offset = numbers.find(([name]) => /offset|skip|start/i.test(name));
  const limit = numbers.find(([name]) => /limit|size|per_?page/i.test(name));
  if (offset && limit) return [byOffset(offset[0], Number(offset[1]), limit[0], Number(limit[1]), signs)];
  const page = numbers.find(([name]) => /^p$|page$|page_?(number|index)$/i.test(name));
  const first = Number(page?.[1]) - 1;
  return page && (first === 0 || first === 1) ? [byPage(page[0], first, signs, items)] : [];
}

/** The lines for `pagination:`, as far as they were seen. The user fills in the rest. */
export function pagingLines(
  signs: PagingSigns,
  items: number,
  confirmed: ConfirmedPaging | undefined,
): readonly string[] {
  if (signs.link)
    return paginationLines({ kind: "link", keys: {} }, "the answer has a Link header with rel=next");
  if (confirmed) {
    const { guess, others } = confirmed;
    return paginationLines(guess, `seen: ${queryText(guess.query)} showed ${others} others`);
  }
  const { cursor, total } = signs;
  if (cursor !== undefined && addressIn(cursor.value ?? "") === undefined) {
    const cursorParameter = "<the query parameter that carries the cursor>";
    return paginationLines({ kind: "cursor", keys: { next: cursor.pointer, cursorParameter } }, "");
  }
  const kind = hasPages(signs) ? "<page, offset or cursor>" : "<none, page, offset, cursor or link>";
  const keys = { total: hasPages(signs) ? total?.pointer : undefined };
  return paginationLines({ kind, keys }, whatIsSeen(signs, items));
}

function whatIsSeen(signs: PagingSigns, items: number): string {
  const texts = signTexts(signs).join(", ");
  const on = goesOn(signs, items);
  if (on === undefined) return "nothing in the answer says that it goes on, nor that it does not";
  if (on) return `${texts}, but ${items} arrived: there are more pages`;
  return hasPages(signs)
    ? `${texts}: all of it came now, but a longer list has more pages`
    : `${texts}, as many as arrived`;
}

/** For example `?page=2`. */
export function queryText(query: Readonly<Record<string, string | number | boolean>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `?${parameters}`;
}
