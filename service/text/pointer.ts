import type { Json } from "../contract/service.ts";

/** Parsed pointers, each parsed once: a profile's few dozen are read for each machine of each list. */
const parsed = new Map<string, readonly string[]>();

/** The reference tokens of a JSON Pointer (RFC 6901). `""` has none: it is the whole document. */
export function parsePointer(pointer: string): readonly string[] {
  const known = parsed.get(pointer);
  if (known) return known;
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  parsed.set(pointer, tokens);
  return tokens;
}

export function formatPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The value at a pointer, or undefined. Inherited properties do not count. */
export function valueAt(document: Json, pointer: string): Json | undefined {
  return walk(document, parsePointer(pointer));
}

/** {@link valueAt} for one pointer and many documents. */
export function pointerReader(pointer: string): (document: Json) => Json | undefined {
  const tokens = parsePointer(pointer);
  return (document) => walk(document, tokens);
}

function walk(document: Json, tokens: readonly string[]): Json | undefined {
  let value: Json | undefined = document;
  for (const token of tokens) {
    if (Array.isArray(value)) {
      value = /^(0|[1-9]\d*)$/.test(token) ? (value as readonly Json[])[Number(token)] : undefined;
    } else if (value !== null && typeof value === "object" && Object.hasOwn(value, token)) {
      value = (value as { readonly [key: string]: Json })[token];
    } else {
      return undefined;
    }
  }
  return value;
}
