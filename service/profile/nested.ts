import type { Json } from "../contract/service.ts";
import { parsePointer } from "../text/pointer.ts";
import { COUNT, type Place, withPointers } from "./place.ts";

/*
 * Records below records (profile 2). In `items` a `*` is every member of an array or of an object, so that
 * `/data/x/regions/*`, with a star for x, too, is every region of every type of machine. A field then stands in the record itself (`/name`), or
 * by a Relative JSON Pointer so many levels above it: `2/price`, or `2#` for the key that the level has above it.
 */

const RELATIVE = /^\d/;

/** How the records of a list stand below others; undefined where they are those of a plain array. */
export interface Depth {
  /** The numbers of GPUs that each of them is sold with. Empty: as it says itself. */
  readonly counts: readonly number[];
  /** An inner level may be absent: an offer that is had nowhere, but never a machine. */
  readonly mayLack: boolean;
}

/** `counts`: of offers. */
export function depthOf(
  list: { readonly items: string } | undefined,
  fields: unknown,
  counts?: readonly number[],
): Depth | undefined {
  const isDeep = counts?.length || list?.items.split("/").includes("*") || hasRelative(fields);
  return isDeep ? { counts: counts ?? [], mayLack: counts !== undefined } : undefined;
}

function hasRelative(fields: unknown): boolean {
  if (typeof fields === "string") return RELATIVE.test(fields);
  if (fields === null || typeof fields !== "object" || "value" in fields) return false;
  if ("text" in fields) return /\{\d/.test(String(fields.text));
  return Object.values(fields).some(hasRelative);
}

/** Where a field stands in what {@link nestedRecords} makes. */
export function inNested(place: Place): Place {
  return withPointers(place, (pointer) =>
    RELATIVE.test(pointer) || pointer === COUNT ? `/${pointer}` : `/0${pointer}`,
  );
}

/**
 * The records at `items`, each with all that is above it: under `0` itself, under `1` what it stands in, under `0#` its
 * key in that, and so on. Undefined: nothing stands at `items`.
 */
export function nestedRecords(
  json: Json,
  items: string,
  { counts, mayLack }: Depth,
): readonly Json[] | undefined {
  const tokens = parsePointer(items);
  const path = tokens.at(-1) === "*" ? tokens : [...tokens, "*"];
  const records: Json[] = [];
  let isLacking = false;
  const descend = (levels: readonly (readonly [Json, string])[], depth: number): void => {
    const [value] = levels[0] as readonly [Json, string];
    const token = path[depth];
    if (token === undefined) {
      const record = recordOf(levels);
      if (counts.length === 0) records.push(record);
      else for (const count of counts) records.push({ ...record, [COUNT]: count });
    } else if (value === null || typeof value !== "object") {
      const isInner = path.slice(0, depth).includes("*");
      if (!(mayLack && isInner)) isLacking = true;
    } else {
      const isEach = token === "*" && (Array.isArray(value) || depth < tokens.length);
      const keys = isEach ? Object.keys(value) : [token];
      for (const key of keys)
        descend([[(value as { readonly [key: string]: Json })[key] ?? null, key], ...levels], depth + 1);
    }
  };
  descend([[json, ""]], 0);
  return isLacking ? undefined : records;
}

/** A record that stands in nothing, as {@link nestedRecords} makes them. */
export function inNothing(record: Json): Json {
  return recordOf([[record, ""]]);
}

function recordOf(levels: readonly (readonly [Json, string])[]): { readonly [key: string]: Json } {
  return Object.fromEntries(
    levels.flatMap(([value, key], level) => [
      [String(level), value],
      [`${level}#`, key],
    ]),
  );
}
