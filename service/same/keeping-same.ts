import type { Json } from "../contract/service.ts";

/** True if both have the very same items in the same places. */
export function areSameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, place) => item === other[place]);
}

/**
 * `now`, with each part that equals its counterpart in `before` replaced by it: what did not change keeps its
 * identity. The longest part wins: equal wholes give `before` itself.
 */
export function keepingSame<T extends Json>(before: Json | undefined, now: T): T {
  return same(before, now) as T;
}

function same(before: Json | undefined, now: Json): Json {
  if (before === undefined || before === now || typeof before !== "object" || typeof now !== "object")
    return now;
  if (before === null || now === null || Array.isArray(before) !== Array.isArray(now)) return now;
  return Array.isArray(now)
    ? keptItems(before as readonly Json[], now)
    : keptFields(before as Fields, now as Fields);
}

type Fields = Readonly<Record<string, Json>>;

function keptItems(before: readonly Json[], now: readonly Json[]): readonly Json[] {
  const items = now.map((item, index) => same(before[index], item));
  return areSameItems(before, items) ? before : items;
}

function keptFields(before: Fields, now: Fields): Fields {
  const keys = Object.keys(now);
  let isSame = keys.length === Object.keys(before).length;
  const kept = keys.map((key) => {
    const isKnown = Object.hasOwn(before, key);
    const value = isKnown ? same(before[key], now[key] as Json) : (now[key] as Json);
    isSame &&= isKnown && value === before[key];
    return [key, value] as const;
  });
  return isSame ? before : Object.fromEntries(kept);
}
