import type { Json } from "../json.ts";

/** A JSON value under construction. */
export type Draft = null | boolean | number | string | Draft[] | { [key: string]: Draft };

/**
 * Puts a value at a JSON Pointer (RFC 6901) and makes what is missing on the way: an array where the next
 * token is a number, else an object. Gives the new document. Objects are merged: a record put at `""` keeps
 * the fields beside it. The document and the value stay unchanged; the result shares their parts.
 */
export function put(document: Draft | undefined, pointer: string, value: Json): Draft {
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return place(document, tokens, value);
}

function place(document: Draft | undefined, [token, ...rest]: readonly string[], value: Json): Draft {
  if (token === undefined) {
    const put = value as Draft;
    return isObject(document) && isObject(put) ? { ...document, ...put } : put;
  }
  if (Array.isArray(document) || (document === undefined && /^\d+$/.test(token))) {
    const items = [...(document ?? [])];
    const index = Number(token);
    while (items.length < index) items.push(null);
    items[index] = place(items[index] ?? undefined, rest, value);
    return items;
  }
  const object = isObject(document) ? document : {};
  return { ...object, [token]: place(object[token] ?? undefined, rest, value) };
}

function isObject(value: Draft | undefined): value is { [key: string]: Draft } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
