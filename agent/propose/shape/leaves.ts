import type { Json } from "../../../service/contract/service.ts";
import { formatPointer } from "../../../service/text/pointer.ts";
import { isObject, isToken, MAX_DEPTH } from "./lists.ts";

export type Scalar = string | number | boolean;

/** What a document says of a place. */
export interface Note {
  /** Its title and its description. */
  readonly text: string;
  /** All that may stand there. Empty if the document does not say it. */
  readonly words: readonly string[];
  /** It is said to be a text. */
  readonly isText?: boolean;
}

/** One place in the records of a list, with all its values. */
export interface Leaf {
  readonly pointer: string;
  /** The words of its name: `/offer/usd_per_hour` has usd, per, hour; `/offer/id` has offer, id. */
  readonly names: readonly string[];
  /** The words of the names around it. */
  readonly around: readonly string[];
  /** Its values, without empty and absent ones. */
  readonly values: readonly Scalar[];
  readonly note?: Note;
}

const MAX_LEAVES = 200;
const MAX_TEXT = 500;

/** Names that say nothing without the name around them. */
const GENERIC = new Set(["id", "name", "code", "slug", "key", "value", "amount", "text", "type"]);

/** The specification names these fields itself (section 2), so they need no pointer. */
export const SHOWN: ReadonlySet<string> = new Set(["/id", "/status", "/failure_code", "/stop_reason"]);

/** For records of which the specification shows no field, such as offers. */
export const NOTHING: ReadonlySet<string> = new Set();

/** All places in these records, with their values. */
export function leavesOf(records: readonly Json[], except: ReadonlySet<string> = SHOWN): readonly Leaf[] {
  const found = new Map<string, { readonly tokens: readonly string[]; readonly values: Scalar[] }>();
  const visit = (value: Json, tokens: readonly string[]): void => {
    if (tokens.length > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const [index, inner] of (value as readonly Json[]).slice(0, 2).entries())
        visit(inner, [...tokens, String(index)]);
    } else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) if (isToken(key)) visit(inner, [...tokens, key]);
    } else {
      const pointer = formatPointer(tokens);
      if (tokens.length === 0 || except.has(pointer)) return;
      let leaf = found.get(pointer);
      if (leaf === undefined) {
        if (found.size >= MAX_LEAVES) return;
        leaf = { tokens, values: [] };
        found.set(pointer, leaf);
      }
      if (value === null || value === "") return;
      leaf.values.push(typeof value === "string" ? value.slice(0, MAX_TEXT) : (value as Scalar));
    }
  };
  for (const record of records) visit(record, []);
  return [...found].map(([pointer, { tokens, values }]) => ({ pointer, values, ...wordsOf(tokens) }));
}

/** A name to compare with others, without what says nothing and whole: `flavor_names` is "flavor", and "flavor name". */
export function plainNames(names: readonly string[]): readonly string[] {
  const one = names.map((word) => word.replace(/(?<=..)s$/, ""));
  const bare = one.filter((word) => !GENERIC.has(word));
  return bare.length === 0 ? [] : [bare.join(" "), `=${one.join(" ")}`];
}

/** The words of the last name in a pointer, and those of the names around it. */
export function wordsOf(tokens: readonly string[]): Pick<Leaf, "names" | "around"> {
  const named = tokens.filter((token) => !/^\d+$/.test(token)).map(wordsIn);
  const own = named.at(-1) ?? [];
  const isGeneric = own.every((word) => GENERIC.has(word));
  const names = isGeneric ? [...(named.at(-2) ?? []), ...own] : own;
  return { names, around: named.slice(0, isGeneric ? -2 : -1).flat() };
}

export function wordsIn(token: string): readonly string[] {
  return token
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
