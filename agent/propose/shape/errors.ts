import { OFFER_COOLING_DOWN } from "../../../service/contract/contract.ts";
import type { Json } from "../../../service/contract/service.ts";
import { type FieldShape, type Guess, guessFields, isSentence, isWord } from "./guess.ts";
import { leavesOf, NOTHING } from "./leaves.ts";

const SHAPES: readonly FieldShape[] = [
  {
    field: "code",
    names: ["code", "error", "kind", "type", "slug", "reason"],
    fits: isWord,
    // The only code that the specification shows (section 7).
    known: new Set([OFFER_COOLING_DOWN]),
  },
  {
    field: "message",
    names: ["message", "text", "detail", "description", "title", "error", "reason"],
    fits: isSentence,
    looks: isSentence,
  },
];

/** Where these error bodies seem to carry their code and their message. `areNamed`: a document shows names alone. */
export function errorGuesses(bodies: readonly Json[], areNamed = false): readonly Guess[] {
  const guesses = guessFields(leavesOf(bodies, NOTHING), SHAPES);
  return guesses.filter(({ samples }) => areNamed || samples.length > 0);
}
