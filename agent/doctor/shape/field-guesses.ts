import type { Place } from "../../../service/place.ts";
import type { Json } from "../../../service/service.ts";
import type { Part } from "../look.ts";
import { deploymentShapes, type KnownPlaces, offerShapes } from "./fields.ts";
import { type Guess, guessFields } from "./guess.ts";
import type { Leaf } from "./leaves.ts";
import { priceGuess } from "./prices.ts";

/** The guesses for the fields of one part. `gpus`: where the GPU count stands, if that is known already. */
export function fieldGuesses(
  part: Part,
  records: readonly Json[],
  leaves: readonly Leaf[],
  known: KnownPlaces,
  gpus?: Place,
): readonly Guess[] {
  const all = guessFields(leaves, part === "offers" ? offerShapes(known) : deploymentShapes(known));
  const count = gpus ?? all.find(({ field }) => field === "gpus")?.pointer;
  return all.map((guess) => priceGuess(guess, records, leaves, count));
}
