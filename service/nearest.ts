/** The known word that a mistyped one most likely means; undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = simplify(word);
  const limit = Math.max(1, Math.floor(plain.length / 3));
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(plain, simplify(candidate)) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= limit ? best.candidate : undefined;
}

/** `price_per_hour`, `price-per-hour` and `pricePerHour` are one word to a person. */
function simplify(word: string): string {
  return word.toLowerCase().replace(/[_\-\s]/g, "");
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
