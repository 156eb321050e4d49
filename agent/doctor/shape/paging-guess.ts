import { yamlText } from "../remedy.ts";
import { goesOn, hasPages, nameAt, type PagingSigns, signTexts } from "./paging.ts";

/** One way in which a list may go on: the query for the next page, and the profile's lines for it. */
export interface PagingGuess {
  readonly query: Readonly<Record<string, string | number>>;
  /** The lines under `pagination:`. */
  readonly lines: readonly string[];
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
      lines: yamlLines({ kind: "cursor", cursorParameter: name, next: pointer }),
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
  const keys = { kind: "page", pageParameter: name, first, size: size?.value || items };
  return { query: { [name]: first + 1 }, lines: [...yamlLines(keys), ...totalLine(total)] };
}

function byOffset(
  name: string,
  next: number,
  limitName: string,
  limit: number,
  { total }: PagingSigns,
): PagingGuess {
  const keys = { kind: "offset", offsetParameter: name, limitParameter: limitName, limit };
  return { query: { [name]: next, [limitName]: limit }, lines: [...yamlLines(keys), ...totalLine(total)] };
}

function yamlLines(keys: Readonly<Record<string, string | number>>): readonly string[] {
  return Object.entries(keys).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? yamlText(value) : value}`,
  );
}

function totalLine(total: PagingSigns["total"]): readonly string[] {
  return total === undefined ? [] : [`total: ${yamlText(total.pointer)}`];
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
  return ["pagination:", ...kindLines(signs, items, confirmed).map((line) => `  ${line}`)];
}

function kindLines(
  signs: PagingSigns,
  items: number,
  confirmed: ConfirmedPaging | undefined,
): readonly string[] {
  if (signs.link) return ["kind: link  # the answer has a Link header with rel=next"];
  if (confirmed) {
    const { guess, others } = confirmed;
    const [kind, ...rest] = guess.lines;
    return [`${kind}  # seen: ${queryText(guess.query)} showed ${others} others`, ...rest];
  }
  const { cursor } = signs;
  if (cursor !== undefined && addressIn(cursor.value ?? "") === undefined) {
    return [
      "kind: cursor",
      `next: ${yamlText(cursor.pointer)}`,
      "cursorParameter: <the query parameter that carries the cursor>",
    ];
  }
  const seen = whatIsSeen(signs, items);
  return hasPages(signs)
    ? [`kind: <page, offset or cursor>  # ${seen}`, ...totalLine(signs.total)]
    : [`kind: <none, page, offset, cursor or link>  # ${seen}`];
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
