import type { Redaction } from "../../../service/redaction.ts";
import { yamlText } from "../remedy.ts";
import { isConnection, MARKER } from "./fields.ts";
import type { Guess } from "./guess.ts";
import type { Leaf } from "./leaves.ts";

/** A guess as a line of YAML. Its comment says what speaks for it. */
export function guessLine(
  { field, pointer, why, samples, others, cents, proof }: Guess,
  redact: Redaction,
): string {
  const seen = shortList(samples.map((value) => redact.text(JSON.stringify(value), 40)));
  const reason =
    samples.length === 0
      ? "by its name; no value seen yet"
      : why === "value"
        ? `its values are known: ${seen}`
        : `seen: ${seen}`;
  const instead = others.length > 0 ? `; or ${others.join(", ")}` : "";
  const place = cents ? `{ pointer: ${yamlText(pointer)}, unit: cents }` : yamlText(pointer);
  return `${field}: ${place}  # ${proof ?? reason}${proof === undefined ? instead : ""}`;
}

/** The lines for `connection:`, without values. */
export function connectionLines(leaves: readonly Leaf[]): readonly string[] {
  const found = leaves.filter(({ names, around }) => isConnection(names, around));
  if (found.length === 0) return [];
  const names = new Map(found.map((leaf) => [leaf.names.join("_"), leaf]));
  return [
    "connection:",
    ...[...names].map(([name, leaf]) => `  ${yamlText(name)}: ${yamlText(leaf.pointer)}`),
  ];
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
    .filter(({ names, around }) => !isConnection(names, around) && !isSensitive([...names, ...around]))
    .slice(0, 24)
    .map(({ pointer, values }) => {
      const [first] = values;
      return `${pointer}: ${first === undefined ? "empty" : redact.text(JSON.stringify(first), 40)}`;
    });
}

function isSensitive(words: readonly string[]): boolean {
  return words.some((word) => /pass|secret|token|key|private|credential|email|mail|phone/.test(word));
}

/** As many as fit beside a pointer, but at least one. */
function shortList(texts: readonly string[]): string {
  return texts.filter((_, index) => index === 0 || texts.slice(0, index + 1).join().length <= 45).join(", ");
}
