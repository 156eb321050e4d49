import { nextLink } from "../../../service/http-link.ts";
import { readInteger } from "../../../service/json.ts";
import type { Sighting } from "../record.ts";
import { yamlText } from "../remedy.ts";
import { leavesOf } from "./leaves.ts";
import { isObject, type JsonObject, MAX_DEPTH } from "./lists.ts";

/** Signs in one answer that its list goes on somewhere else. */
export interface PagingSigns {
  /** A Link header with rel="next" (RFC 8288). */
  readonly link: boolean;
  /** Where a cursor seems to stand. */
  readonly cursor: { readonly pointer: string; readonly isSet: boolean } | undefined;
  /** Where the number of all items seems to stand. */
  readonly total: { readonly pointer: string; readonly value: number } | undefined;
}

// A name must hold nothing else, so that `next_billing_at` is no cursor, and `total_spent` and `page_count` are no totals.
const CURSOR = { one: ["next", "cursor", "continuation"], others: ["page", "token", "key", "url", "after"] };
const TOTAL = { one: ["total", "count"], others: ["items", "results", "deployments", "offers", "records"] };

export function pagingSigns({ headers, json }: Sighting): PagingSigns {
  // Arrays hold the items, and an item's own fields say nothing about pages.
  const leaves = json === undefined || !isObject(json) ? [] : leavesOf([withoutArrays(json)], new Set());
  const cursor = leaves.find(({ names }) => isNamed(names, CURSOR));
  const total = leaves.find(
    ({ names, values: [value] }) =>
      isNamed(names, TOTAL) && typeof value !== "boolean" && readInteger(value) !== undefined,
  );
  const [totalValue] = total?.values ?? [];
  return {
    link: nextLink(headers.link) !== undefined,
    cursor: cursor && { pointer: cursor.pointer, isSet: cursor.values.some((value) => value !== false) },
    total: total && { pointer: total.pointer, value: Number(totalValue) },
  };
}

/** The lines for `pagination:`, as far as one answer can tell; where it cannot, the gap stays for the user to fill in. */
export function pagingLines({ link, cursor, total }: PagingSigns, items: number): readonly string[] {
  if (link) return ["pagination:", "  kind: link  # the answer has a Link header with rel=next"];
  if (cursor !== undefined) {
    return [
      "pagination:",
      "  kind: cursor",
      `  next: ${yamlText(cursor.pointer)}`,
      "  cursorParameter: <the query parameter that carries the cursor>",
    ];
  }
  const seen =
    total === undefined
      ? "nothing in the answer says that it goes on, nor that it does not"
      : total.value > items
        ? `${total.pointer} is ${total.value}, but ${items} arrived: there are more pages`
        : `${total.pointer} is ${total.value}, as many as arrived`;
  return ["pagination:", `  kind: <none, page, offset, cursor or link>  # ${seen}`];
}

/** No deeper than pointers are looked for: a hostile answer may be nested deeper than a stack is. */
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
