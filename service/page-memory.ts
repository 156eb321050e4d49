import { parseJson } from "./json.ts";
import { keepingSame } from "./same-parts.ts";
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
      last.delete(url);
      const page =
        before?.body === body ? before : { body, json: keepingSame(before?.json, parseJson(body)) };
      newest.set(url, page);
      return page.json;
    },
  };
}
