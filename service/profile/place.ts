import type { Json } from "../contract/service.ts";
import { demandExact } from "../text/json.ts";
import { pointerReader } from "../text/pointer.ts";

/**
 * Where a profile finds a field: a pointer, a pointer and how to read it, a text of several, the first of several at
 * which anything stands, a pointer with others beside it, or a value that is the same for all.
 */
export type Place =
  | string
  | { readonly text: string }
  /** The number of GPUs of `offers.counts` that this copy has. */
  | { readonly count: true }
  | { readonly first: readonly string[]; readonly none?: string | undefined }
  | { readonly pointer: string; readonly beside: readonly string[] }
  | { readonly pointer: string; readonly unit: "cents" }
  | { readonly pointer: string; readonly soldOut: readonly string[] }
  | Constant;

/** The key under which `offers.counts` stands in a record: see nested.ts. */
export const COUNT = "count";

/** A value in the profile, for a field that the service does not show. */
export interface Constant {
  readonly value: string | number | boolean;
}

export function isConstant(place: Place | undefined): place is Constant {
  return typeof place === "object" && "value" in place;
}

/** The pointer of a field that the service shows. */
export function pointerIn(place: Place | undefined): string | undefined {
  if (typeof place === "string") return place;
  return place !== undefined && "pointer" in place && !("beside" in place) ? place.pointer : undefined;
}

/** A placeholder of a text: `{/gpu/id}`. */
const PIECE = /\{([^{}]*)\}/g;

/** A place with each of its pointers changed. */
export function withPointers(place: Place, change: (pointer: string) => string): Place {
  if (typeof place === "string") return change(place);
  if ("beside" in place) return { pointer: change(place.pointer), beside: place.beside.map(change) };
  if ("pointer" in place) return { ...place, pointer: change(place.pointer) };
  if ("first" in place) return { ...place, first: place.first.map(change) };
  if ("text" in place)
    return { text: place.text.replaceAll(PIECE, (_, piece: string) => `{${change(piece)}}`) };
  return place;
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
  if (isConstant(place)) return `the value ${JSON.stringify(place.value)} of the profile`;
  if (typeof place === "object" && "text" in place) return JSON.stringify(place.text);
  if (typeof place === "object" && "count" in place) return "offers.counts";
  if (typeof place === "object" && "beside" in place) return place.pointer;
  return typeof place === "object" && "first" in place ? place.first.join(" or ") : (pointerIn(place) ?? "");
}

/** The value at this place of a record. */
export function standingAt(record: Json, place: Place): Json | undefined {
  return placeReader(place)(record);
}

/** {@link standingAt} for one place and many records */
export function placeReader(place: Place): (record: Json) => Json | undefined {
  if (typeof place === "string") return pointerReader(place);
  if ("beside" in place) return besideReader([place.pointer, ...place.beside]);
  if ("pointer" in place) return pointerReader(place.pointer);
  if ("first" in place) {
    const pointers = place.first.map(pointerReader);
    return (record) => firstOf(pointers, record) ?? place.none;
  }
  if ("text" in place) return textReader(place.text);
  if ("count" in place) return pointerReader(`/${COUNT}`);
  // As a number stands in an answer: see parseJson.
  const isExact = typeof place.value !== "number" || Number.isSafeInteger(place.value);
  const value = isExact ? place.value : String(place.value);
  return () => value;
}

function firstOf(pointers: readonly ((record: Json) => Json | undefined)[], record: Json): Json | undefined {
  for (const at of pointers) {
    const value = at(record);
    if (value !== undefined && value !== null && value !== "") return value;
  }
  return undefined;
}

/** Between a state and the words beside it. */
export const SEPARATOR = "\n";

/** The texts there, up to the first that is not there. */
function besideReader(pointers: readonly string[]): (record: Json) => Json | undefined {
  const readers = pointers.map(pointerReader);
  return (record) => {
    const parts = readers.map((read) => readPart(read(record)) || undefined);
    const end = parts.indexOf(undefined);
    return end === 0 ? undefined : parts.slice(0, end < 0 ? undefined : end).join(SEPARATOR);
  };
}

/** A text of which a piece is not there is not there. */
function textReader(template: string): (record: Json) => Json | undefined {
  // Every second one is what stands between braces.
  const pieces = template
    .split(PIECE)
    .map((piece, at) => (at % 2 === 0 ? () => piece : pointerReader(piece)));
  return (record) => {
    const parts = pieces.map((piece) => readPart(piece(record)));
    return parts.includes(undefined) ? undefined : parts.join("");
  };
}

function readPart(value: Json | undefined): string | undefined {
  demandExact(value);
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
