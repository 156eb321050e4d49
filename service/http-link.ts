/** The target of the first `rel="next"` in a Link header (RFC 8288); undefined if there is none. */
export function nextLink(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  // A target may hold commas, so links are found by their angle brackets and not by splitting.
  for (const [, target, parameters] of header.matchAll(
    /<([^>]*)>((?:\s*;\s*[^;,="\s]+(?:\s*=\s*(?:"[^"]*"|[^;,"\s]*))?)*)/g,
  )) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^;,"\s]*))/i.exec(parameters ?? "");
    const names = (relation?.[1] ?? relation?.[2] ?? "").toLowerCase().split(/\s+/);
    if (names.includes("next")) return target;
  }
  return undefined;
}
