import { parsePointer } from "../../../service/text/pointer.ts";
import type { Redaction } from "../../../service/text/redaction.ts";
import { connectionNames } from "./connection-names.ts";
import { isConnection, MARKER } from "./fields.ts";
import type { Guess } from "./guess.ts";
import { type Leaf, type Scalar, wordsOf } from "./leaves.ts";
import { yamlText } from "./texts.ts";

/** A guess as a line of YAML. Its comment says what speaks for it. `where`: such as " in offers.json". */
export function guessLine(guess: Guess, redact: Redaction, where = ""): string {
  const { field, pointer, why, samples, others, cents, proof, isShort, soldOut } = guess;
  const seen = soldOut === undefined ? seenText(pointer, samples, redact) : wordsText(samples, redact);
  const reason =
    samples.length === 0
      ? `by its name${where}; no value seen yet`
      : why === "value"
        ? where === ""
          ? `its values are known: ${seen}`
          : `seen${where}, and its values are known: ${seen}`
        : `seen${where}: ${seen}`;
  const short = isShort ? "; a guess: so short a name may mean anything" : "";
  const instead = short + (others.length > 0 ? `; or ${others.join(", ")}` : "");
  const place = cents
    ? `{ pointer: ${yamlText(pointer)}, unit: cents }`
    : soldOut === undefined
      ? yamlText(pointer)
      : inWords(pointer, soldOut);
  const confirm = soldOut?.length ? "; confirm that any other word means that a machine can be had" : "";
  return `${field}: ${place}  # ${proof === undefined ? reason + instead + confirm : `${proof}${where}`}`;
}

/** A place that says in words whether an offer can be had. Without a word that leaves no doubt a person names it. */
export function inWords(pointer: string, soldOut: readonly string[]): string {
  const words = soldOut.length === 0 ? "<each word that means sold out>" : soldOut.map(yamlText).join(", ");
  return `{ pointer: ${yamlText(pointer)}, soldOut: [${words}] }`;
}

/** All words of a place, since a person chooses among them. */
export function wordsText(words: readonly Scalar[], redact: Redaction): string {
  return words.map((word) => redact.text(JSON.stringify(word), 40)).join(", ");
}

/** Some of the values at a place, for a comment. A value that may be a secret is not shown. */
export function seenText(pointer: string, samples: readonly Scalar[], redact: Redaction): string {
  const isHidden = isSensitive(wordsOf(parsePointer(pointer)).names);
  const texts = samples.map((value) =>
    isHidden || seemsSecret(value) ? HIDDEN : redact.text(JSON.stringify(value), 40),
  );
  return shortList([...new Set(texts)]);
}

const HIDDEN = "a value that is not shown";

/** The lines for `connection:`. They say what kind of value was seen: an address is nobody else's business. */
export function connectionLines(leaves: readonly Leaf[], where = ""): readonly string[] {
  const isEmptied = ({ pointer, values }: Leaf): boolean =>
    values.length === 0 && leaves.some((inner) => inner.pointer.startsWith(`${pointer}/`));
  const found = leaves.filter((leaf) => isConnection(leaf) && !isEmptied(leaf));
  if (found.length === 0) return [];
  return [
    "connection:",
    ...[...connectionNames(found)].map(
      ([name, { leaf, form }]) =>
        `  ${yamlText(name)}: ${placeOf(leaf, form)}  # ${kindSeen(leaf.values, where)}`,
    ),
  ];
}

function placeOf({ pointer }: Leaf, form: string | undefined): string {
  return form === undefined
    ? yamlText(pointer)
    : `{ pointer: ${yamlText(pointer)}, form: ${JSON.stringify(form)} }`;
}

function kindSeen(values: readonly Scalar[], where: string): string {
  const [first] = values;
  if (first === undefined) return `by its name${where}; no value seen yet`;
  return `seen${where}: ${typeof first === "string" ? "a text" : `a ${typeof first}`}, which is not shown here`;
}

/** Where a deployment might show a marker, by the names of its fields. */
export function markerPlaces(leaves: readonly Leaf[]): readonly string[] {
  return leaves
    .filter(({ names }) => names.some((word) => MARKER.includes(word)))
    .map(({ pointer }) => pointer);
}

/** What one record holds. A person can choose from it where names say too little. */
export function inventory(leaves: readonly Leaf[], redact: Redaction): readonly string[] {
  return leaves
    .filter((leaf) => !isConnection(leaf) && !isSensitive([...leaf.names, ...leaf.around]))
    .slice(0, 24)
    .map(({ pointer, values }) => {
      const [first] = values;
      return `${pointer}: ${first === undefined ? "empty" : redact.text(JSON.stringify(first), 40)}`;
    });
}

/** Whether a name speaks of something that is nobody else's business. */
export function isSensitive(words: readonly string[]): boolean {
  return words.some((word) =>
    /pass|secret|token|key|private|credential|login|auth(?!or$)|cookie|webhook|mail|phone/.test(word),
  );
}

/** A token, a private key, an address with a password: by their form, whatever they are called and wherever they stand. */
export function seemsSecret(value: Scalar): boolean {
  return (
    typeof value === "string" &&
    (/(?<![A-Za-z\d])([spr]k[-_]|gh[a-z]_|github_pat_|glpat-|hf_|xox[a-z]-|eyJ[\w-]*\.)[-.\w]{8,}/.test(
      value,
    ) ||
      /-----BEGIN|:\/\/[^/\s:@]+:[^/\s@]+@|[A-Za-z]{32,}/.test(value) ||
      /(?=[A-Za-z+/]*\d)(?=[\d+/]*[A-Za-z])[A-Za-z\d+/]{32,}/.test(value))
  );
}

/** As many as fit beside a pointer, but at least one. */
function shortList(texts: readonly string[]): string {
  return texts.filter((_, index) => index === 0 || texts.slice(0, index + 1).join().length <= 45).join(", ");
}
