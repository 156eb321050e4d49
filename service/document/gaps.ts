import type { DocumentProblem, Path } from "./document-problem.ts";

/**
 * Finds `<...>` in a value. The lines that a "missing part" error proposes have it where only the user knows
 * the value. Without this check, `<the field for the offer>` would be sent to the service as a field's name.
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
