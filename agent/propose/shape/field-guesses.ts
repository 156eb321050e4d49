import type { Json } from "../../../service/contract/service.ts";
import type { Place } from "../../../service/profile/place.ts";
import type { Part } from "./best-list.ts";
import { deploymentShapes, type KnownPlaces, NOTHING_KNOWN, offerShapes } from "./fields.ts";
import { type Guess, guessFields } from "./guess.ts";
import type { Leaf } from "./leaves.ts";
import { priceGuess } from "./prices.ts";
import { stockWords } from "./stock-words.ts";

/** The guesses for the fields of one part. `gpus`: where the GPU count stands, if that is known already. */
export function fieldGuesses(
  part: Part,
  records: readonly Json[],
  leaves: readonly Leaf[],
  known: KnownPlaces,
  gpus?: Place,
): readonly Guess[] {
  const shapes = part === "offers" ? offerShapes(known) : deploymentShapes(known);
  const all = guessFields(
    leaves,
    shapes.map((shape) => ({ ...shape, called: known.called?.[shape.field], sent: known.sent })),
  );
  const count = gpus ?? all.find(({ field }) => field === "gpus")?.pointer;
  const priced = all.map((guess) => priceGuess(guess, records, leaves, count));
  return part === "offers" ? withWords(priced, leaves) : priced;
}

export const PLACES = ["offer", "provider", "location"] as const;
export type PlaceName = (typeof PLACES)[number];

/** Which of these places is the offer, the provider or the location: by its own name, or alone below such a name. */
export function placesByName(
  leaves: readonly Leaf[],
  names: readonly PlaceName[] = PLACES,
  called: KnownPlaces["called"] = {},
): ReadonlyMap<string, PlaceName> {
  const wanted: readonly string[] = names;
  const shapes = deploymentShapes(NOTHING_KNOWN)
    .filter(({ field }) => wanted.includes(field))
    .map((shape) => ({ ...shape, called: called[shape.field] }));
  const guesses = guessFields(leaves, shapes).filter(({ isNear }) => isNear !== true);
  return new Map(guesses.map(({ pointer, field }) => [pointer, field as PlaceName]));
}

/** A boolean or a number says whether an offer can be had, and needs no word. An empty place says nothing yet. */
function withWords(guesses: readonly Guess[], leaves: readonly Leaf[]): readonly Guess[] {
  if (guesses.some(({ field, samples }) => field === "available" && samples.length > 0)) return guesses;
  const others = guesses.filter(({ field }) => field !== "available");
  const taken = new Set(others.map(({ pointer }) => pointer));
  const found = stockWords(leaves.filter(({ pointer }) => !taken.has(pointer)));
  if (found === undefined) return guesses;
  const { pointer, words, soldOut } = found;
  return [...others, { field: "available", pointer, why: "name", samples: words, others: [], soldOut }];
}
