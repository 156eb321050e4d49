import type { Json } from "../contract/service.ts";
import { type Place, pointerIn, soldOutWords } from "../profile/place.ts";
import { readBoolean, readDecimal } from "../text/json.ts";
import type { Field } from "./record-field.ts";

/**
 * Whether a machine can be had. What a word means is data of the profile and never guessed: one that was taken for
 * the wrong thing sends launches into what is sold out, or holds all of them back.
 */
export function availability(place: Place | undefined): Field<boolean> {
  const words = soldOutWords(place);
  const name = "available";
  if (words !== undefined)
    return { name, place, read: wordReader(words), expected: "a word, true, false or a number" };
  return {
    name,
    place,
    read: readBoolean,
    expected: "true, false or a number",
    remedy: wayOut(pointerIn(place)),
  };
}

/** Letter for letter, as all words of a profile: states, codes. A boolean or a number needs no word. */
function wordReader(soldOut: readonly string[]): (value: Json | undefined) => boolean | undefined {
  const words = new Set<Json | undefined>(soldOut);
  return (value) =>
    words.has(value) ? false : (readBoolean(value) ?? (typeof value === "string" ? true : undefined));
}

/** The word that was seen is not put into the line: it may just as well be the one for plenty. */
function wayOut(pointer = ""): (got: Json | undefined) => string | undefined {
  const place = /^[\w./~-]+$/.test(pointer) ? pointer : JSON.stringify(pointer);
  const line = `available: { pointer: ${place}, soldOut: [<each word that means sold out>] }`;
  return (got) => (typeof got === "string" ? `where words say it, write "${line}"` : undefined);
}

/** A number says how many there are; a boolean or a word only says whether there is one. */
export function readStock(value: Json | undefined): number | undefined {
  const decimal = readDecimal(value);
  return decimal === undefined ? undefined : Math.max(0, Math.floor(Number(decimal)));
}
