import { parseJson } from "./json.ts";
import type { Json } from "./service.ts";

/** The pages of the newest list, as they were parsed. A list that says what it said before is not read anew. */
export interface PageMemory {
  /** A new list begins: pages that it does not ask for are forgotten once the one after it begins. */
  begin(): void;
  /** As `parseJson`, but what equals a part of this address's last page is that part itself. */
  parse(url: string, body: string): Json;
}

interface Page {
  readonly body: string;
  readonly json: Json;
}

export function createPageMemory(): PageMemory {
  let last = new Map<string, Page>();
  let newest = new Map<string, Page>();
  return {
    begin() {
      last = newest;
      newest = new Map();
    },
    parse(url, body) {
      const before = last.get(url);
      const page = before?.body === body ? before : { body, json: withKnown(before?.json, parseJson(body)) };
      newest.set(url, page);
      return page.json;
    },
  };
}

/** `now`, with each part that equals its counterpart in `before` replaced by it. */
function withKnown(before: Json | undefined, now: Json): Json {
  if (before === undefined || before === now || typeof before !== "object" || typeof now !== "object")
    return now;
  if (before === null || now === null || Array.isArray(before) !== Array.isArray(now)) return now;
  if (Array.isArray(now)) {
    const old = before as readonly Json[];
    // Records are added and dropped at one end of a list more often than in its middle.
    const shift = old.length - now.length;
    let isSame = shift === 0;
    const items = now.map((item: Json, index) => {
      const known = withKnown(old[index], item);
      const kept = known === old[index] || shift === 0 ? known : withKnown(old[index + shift], item);
      isSame &&= kept === old[index];
      return kept;
    });
    return isSame ? before : items;
  }
  const [old, fresh] = [before as Fields, now as Fields];
  const keys = Object.keys(fresh);
  let isSame = keys.length === Object.keys(old).length;
  const kept = keys.map((key) => {
    const isKnown = Object.hasOwn(old, key);
    const value = isKnown ? withKnown(old[key], fresh[key] as Json) : (fresh[key] as Json);
    isSame &&= isKnown && value === old[key];
    return [key, value] as const;
  });
  return isSame ? before : Object.fromEntries(kept);
}

type Fields = Readonly<Record<string, Json>>;
