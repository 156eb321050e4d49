import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type Document as YamlDocument,
} from "yaml";
import type { Path } from "./document-problem.ts";

/** The offset of a place in the text. If it does not exist: of the nearest existing one above it. */
export function offsetOf(document: YamlDocument.Parsed | undefined, path: Path, at?: "key"): number {
  let node: Node | null | undefined = document?.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const segment of path) {
    if (isAlias(node) && document) node = node.resolve(document);
    let next: unknown;
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(
        ({ key }) => String(isScalar(key) ? key.value : key) === String(segment),
      );
      if (pair === undefined) return offset;
      next = pair.value;
      offset = (at === "key" || !showsItself(next) ? startOf(pair.key) : startOf(next)) ?? offset;
    } else if (isSeq(node)) {
      next = node.items[Number(segment)];
      offset = startOf(next) ?? offset;
    } else {
      return offset;
    }
    node = next as Node | null | undefined;
  }
  return offset;
}

/** Offsets of whole numbers too large for a program to hold exactly. */
export function inexactNumbers(document: YamlDocument.Parsed | undefined): readonly number[] {
  const offsets: number[] = [];
  if (document === undefined) return offsets;
  visit(document, {
    Scalar(_key, { value, range }) {
      if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
        offsets.push(range?.[0] ?? 0);
      }
    },
  });
  return offsets;
}

/** Offsets of keys that occur twice in their mapping. */
export function repeatedKeys(document: YamlDocument): readonly number[] {
  const offsets: number[] = [];
  visit(document, {
    Map(_key, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = String(isScalar(key) ? key.value : key);
        if (seen.has(name)) offsets.push(startOf(key) ?? 0);
        seen.add(name);
      }
    },
  });
  return offsets;
}

/** False where the key is better to show: an empty value has no place, a block begins at its child. */
function showsItself(value: unknown): boolean {
  if (isMap(value) || isSeq(value)) return value.flow === true;
  const range = (value as Node | null)?.range;
  return range !== undefined && range !== null && range[1] > range[0];
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
