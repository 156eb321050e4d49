import { pointerReader, valueAt } from "./pointer.ts";
import type { Json } from "./service.ts";

/** Where a profile finds a field: a pointer, a pointer and how to read it, or a value that is the same for all. */
export type Place =
  | string
  | { readonly pointer: string; readonly unit: "cents" }
  | { readonly pointer: string; readonly soldOut: readonly string[] }
  | Constant;

/** A value in the profile, for a field that the service does not show. */
export interface Constant {
  readonly value: string | number | boolean;
}

export function isConstant(place: Place | undefined): place is Constant {
  return typeof place === "object" && "value" in place;
}

/** The pointer of a field that the service shows. */
export function pointerIn(place: Place | undefined): string | undefined {
  if (place === undefined || isConstant(place)) return undefined;
  return typeof place === "string" ? place : place.pointer;
}

/** True where the service writes a price in cents. */
export function isInCents(place: Place | undefined): boolean {
  return typeof place === "object" && "unit" in place;
}

/** The words there that mean that nothing is left. Undefined: the profile names none. */
export function soldOutWords(place: Place | undefined): readonly string[] | undefined {
  return typeof place === "object" && "soldOut" in place ? place.soldOut : undefined;
}

/** The place's name in messages. */
export function placeText(place: Place): string {
  return isConstant(place)
    ? `the value ${JSON.stringify(place.value)} of the profile`
    : (pointerIn(place) ?? "");
}

/** The value at this place of a record. */
export function standingAt(record: Json, place: Place): Json | undefined {
  return isConstant(place) ? place.value : valueAt(record, typeof place === "string" ? place : place.pointer);
}

/** {@link standingAt} for one place and many records */
export function placeReader(place: Place): (record: Json) => Json | undefined {
  if (!isConstant(place)) return pointerReader(typeof place === "string" ? place : place.pointer);
  // As a number stands in an answer: see parseJson.
  const isExact = typeof place.value !== "number" || Number.isSafeInteger(place.value);
  const value = isExact ? place.value : String(place.value);
  return () => value;
}
