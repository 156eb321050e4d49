import type { DocumentProblem, Path } from "./document-problem.ts";

/**
 * The lines that a "missing part" error proposes hold <...> where only the user knows what to write. Pasted as they are,
 * they must not pass: `<the field for the offer>` would be sent to the service as the name of a field.
 */
export function findGaps(value: unknown, path: Path = []): readonly DocumentProblem[] {
  if (isGap(value)) return [{ path, message: "is still to be filled in" }];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]): readonly DocumentProblem[] => {
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    return isGap(key)
      ? [{ path: place, at: "key", message: "is still to be filled in" }]
      : findGaps(inner, place);
  });
}

export function isGap(value: unknown): boolean {
  return typeof value === "string" && /^<[^<>]+>$/.test(value);
}
