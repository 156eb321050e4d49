import { Document, isMap, isScalar, visit } from "yaml";
import type { Json } from "../../service/contract/service.ts";
import { parsePointer } from "../../service/text/pointer.ts";
import { numberIn } from "../../service/text/template.ts";
import { isTellingKey } from "./saved/launch-secrets.ts";
import { isObject, type JsonObject } from "./shape/lists.ts";

/** An object as lines of YAML below a key. `comments`: by JSON Pointer, for texts and numbers in it. */
export function objectLines(
  value: JsonObject,
  comments: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const document = new Document(value);
  visit(document, {
    Map: (_key, node) => {
      node.flow = numberIn(node.toJSON() as Json) !== undefined;
    },
  });
  for (const [pointer, comment] of comments) {
    const node = document.getIn(
      parsePointer(pointer).map((token) => (/^\d+$/.test(token) ? Number(token) : token)),
      true,
    );
    if (isScalar(node) || (isMap(node) && node.flow)) node.comment = ` ${comment}`;
  }
  const text = document.toString({ lineWidth: 0, indentSeq: true });
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`);
}

/**
 * Replaces each text, number and boolean of a tree. Numbers that stand as exact texts are given as such, and
 * an object below the top is given whole if a key of it may hold a secret.
 */
export function mapLeaves(
  value: Json,
  change: (leaf: Json, tokens: readonly string[]) => Json,
  tokens: readonly string[] = [],
): Json {
  if (Array.isArray(value))
    return (value as readonly Json[]).map((inner, index) =>
      mapLeaves(inner, change, [...tokens, String(index)]),
    );
  if (isObject(value) && (tokens.length === 0 || !Object.keys(value).some(isTellingKey)))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, mapLeaves(inner, change, [...tokens, key])]),
    );
  return change(value, tokens);
}
