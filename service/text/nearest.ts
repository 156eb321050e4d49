import { closestMatch } from "leven";

/** The known word that a mistyped one most likely means. Undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = simplify(word);
  const maxDistance = Math.max(1, Math.floor(plain.length / 3));
  const match = closestMatch(plain, known.map(simplify), { maxDistance });
  return known.find((candidate) => simplify(candidate) === match);
}

/** To a person, `price_per_hour`, `price-per-hour` and `pricePerHour` are one word. */
function simplify(word: string): string {
  return word.toLowerCase().replace(/[_\-\s]/g, "");
}
