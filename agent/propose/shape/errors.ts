import { OFFER_COOLING_DOWN } from "../../../service/contract/contract.ts";
import type { Json } from "../../../service/contract/service.ts";
import { type FieldShape, type Guess, guessFields, isSentence, isWord } from "./guess.ts";
import { type Leaf, leavesOf, NOTHING } from "./leaves.ts";

const CODE: FieldShape = {
  field: "code",
  names: ["code", "error", "kind", "type", "slug", "reason"],
  fits: (value) => typeof value === "string" && /^[\w.-]{2,80}$/.test(value),
  // The only code that the specification shows (section 7).
  known: new Set([OFFER_COOLING_DOWN]),
};

/** Where nothing else looks like a code. `about:blank` says of an error what its status says (RFC 9457, 4.2.1). */
const URI_AS_CODE: FieldShape = { ...CODE, fits: (value) => isWord(value) && value !== "about:blank" };

const MESSAGE: FieldShape = {
  field: "message",
  names: ["message", "text", "detail", "description", "title", "error", "reason"],
  fits: isSentence,
  looks: isSentence,
};

/** Where these error bodies seem to carry their code and their message. `areNamed`: a document shows names alone. */
export function errorGuesses(bodies: readonly Json[], areNamed = false): readonly Guess[] {
  const leaves = leavesOf(bodies, NOTHING);
  const found = (code: FieldShape, among: readonly Leaf[]): readonly Guess[] =>
    guessFields(among, [code, MESSAGE]).filter(({ samples }) => areNamed || samples.length > 0);
  const guesses = found(
    CODE,
    leaves.filter((leaf) => !isProblemType(leaf, leaves)),
  );
  return guesses.some(({ field }) => field === "code") ? guesses : found(URI_AS_CODE, leaves);
}

/** The type of a problem+json (RFC 9457), which is a URI, where a document shows its name alone. */
function isProblemType({ pointer, values }: Leaf, leaves: readonly Leaf[]): boolean {
  const around = pointer.slice(0, -"/type".length);
  const has = (name: string): boolean => leaves.some((leaf) => leaf.pointer === `${around}/${name}`);
  return values.length === 0 && pointer.endsWith("/type") && has("title") && (has("status") || has("detail"));
}
