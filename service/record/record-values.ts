import type { Json } from "../contract/service.ts";
import { type Place, placeReader, pointerIn } from "../profile/place.ts";
import { parsePointer } from "../text/pointer.ts";

/** What stands at some places of a record, in their order. It is overwritten by the next record. */
export type RecordValues = readonly (Json | undefined)[];

/**
 * Reads what stands at some places of many records. Records of a list have the same keys in the same order, and
 * going through them costs a fraction of looking each one up. A record of other keys is read as well, slower.
 */
export function recordValuesReader(places: readonly (Place | undefined)[]): (record: Json) => RecordValues {
  const slots: (Json | undefined)[] = places.map(() => undefined);
  const others = places.flatMap((place, slot) =>
    place === undefined || topKeyOf(place) !== undefined ? [] : [{ slot, at: placeReader(place) }],
  );
  const tops = places.flatMap((place, slot) => {
    const key = place && topKeyOf(place);
    return key === undefined ? [] : [{ key, slot, at: placeReader(place as Place) }];
  });
  /** The keys of the last record, and the slots of each. */
  let keys: readonly string[] = [];
  let targets: readonly (readonly number[])[] = [];

  const learn = (record: Json): void => {
    keys = typeof record === "object" && record !== null ? Object.keys(record) : [];
    targets = keys.map((key) => tops.flatMap((top) => (top.key === key ? [top.slot] : [])));
    for (const { slot, at } of tops) slots[slot] = at(record);
  };
  const isAsKnown = (record: object): boolean => {
    let index = 0;
    for (const key in record) {
      if (key !== keys[index]) return false;
      const value = (record as { readonly [key: string]: Json })[key];
      for (const slot of targets[index] as readonly number[]) slots[slot] = value;
      index += 1;
    }
    return index === keys.length;
  };
  return (record) => {
    if (typeof record !== "object" || record === null || Array.isArray(record) || !isAsKnown(record))
      learn(record);
    for (const { slot, at } of others) slots[slot] = at(record);
    return slots;
  };
}

/** The key of a field that stands at the top of its record. */
function topKeyOf(place: Place): string | undefined {
  const pointer = pointerIn(place);
  const tokens = pointer === undefined ? [] : parsePointer(pointer);
  return tokens.length === 1 ? tokens[0] : undefined;
}
