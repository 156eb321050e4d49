import type { WireProfile } from "../../service/profile/profile.ts";
import type { WireRequest } from "../dialect.ts";
import type { Json } from "../json.ts";
import { nestedBody } from "./nested.ts";
import { type Draft, put } from "./pointer.ts";

export type ListShape = NonNullable<NonNullable<WireProfile["deployments"]>["list"]>;

/** The query parameter in the links to next pages. */
const LINK_PARAMETER = "from";

/** Where in the whole list this page begins, and how many items it has at most. */
export function span(
  shape: ListShape,
  pageSize: number,
  query: URLSearchParams,
): { start: number; size: number } {
  const { pagination } = shape;
  switch (pagination.kind) {
    case "none":
      return { start: 0, size: Number.POSITIVE_INFINITY };
    case "page": {
      const size = wholeNumber(query.get(pagination.sizeParameter ?? ""), pagination.size);
      return {
        start: (wholeNumber(query.get(pagination.pageParameter), pagination.first) - pagination.first) * size,
        size,
      };
    }
    case "offset":
      return {
        start: wholeNumber(query.get(pagination.offsetParameter), 0),
        size: wholeNumber(query.get(pagination.limitParameter), pagination.limit),
      };
    case "cursor":
      return {
        start: fromCursor(query.get(pagination.cursorParameter)),
        size: wholeNumber(query.get(pagination.sizeParameter ?? ""), pagination.size ?? pageSize),
      };
    case "link":
      return { start: fromCursor(query.get(LINK_PARAMETER)), size: pageSize };
  }
}

/** The name of the first fixed query parameter that is missing or wrong; undefined if all are right. */
export function wrongQuery(shape: ListShape, query: URLSearchParams): string | undefined {
  return Object.entries(shape.query ?? {})
    .filter(([name, value]) => query.get(name) !== String(value))
    .map(([name]) => name)[0];
}

/** One page: its body and its headers. */
export function page(
  shape: ListShape,
  pageSize: number,
  items: readonly Json[],
  request: WireRequest,
  isDeep: boolean,
): { readonly body: Draft; readonly headers: Readonly<Record<string, string>> } {
  const { start, size } = span(shape, pageSize, request.query);
  const { pagination } = shape;
  const shown = items.slice(start, start + size);
  let body = isDeep ? nestedBody(shape.items, shown) : put(undefined, shape.items, shown);
  const more = start + size < items.length;
  if ((pagination.kind === "page" || pagination.kind === "offset") && pagination.total !== undefined) {
    body = put(body, pagination.total, items.length);
  }
  if (pagination.kind === "cursor") body = put(body, pagination.next, more ? toCursor(start + size) : null);
  if (pagination.kind !== "link" || !more) return { body, headers: {} };
  const query = new URLSearchParams(request.query);
  query.set(LINK_PARAMETER, toCursor(start + size));
  const next = `${request.origin}${request.path}?${query}`;
  return { body, headers: { link: `<${next}>; rel="next"` } };
}

function wholeNumber(text: string | null, otherwise: number): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}

/** Opaque to the client, as a cursor should be. */
function toCursor(start: number): string {
  return Buffer.from(`item ${start}`).toString("base64url");
}

function fromCursor(cursor: string | null): number {
  const text = cursor === null ? "" : Buffer.from(cursor, "base64url").toString();
  return wholeNumber(text.replace(/^item /, ""), 0);
}
