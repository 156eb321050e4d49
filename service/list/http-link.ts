// A target or a quoted text may hold commas and semicolons: links are found by brackets, not by splitting.
const LINK = /<([^>]*)>((?:\s*;\s*[^;,="\s]+(?:\s*=\s*(?:"[^"]*"|[^;,"\s]*))?)*)/g;
const PARAMETER = /;\s*([^;,="\s]+)\s*(?:=\s*(?:"([^"]*)"|([^;,"\s]*)))?/g;

/** The target of the first `rel="next"` in a Link header (RFC 8288); undefined if there is none. */
export function nextLink(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  for (const [, target, parameters = ""] of header.matchAll(LINK)) {
    const relation = [...parameters.matchAll(PARAMETER)].find(([, name]) => name?.toLowerCase() === "rel");
    const names = (relation?.[2] ?? relation?.[3] ?? "").toLowerCase().split(/\s+/);
    if (names.includes("next")) return target;
  }
  return undefined;
}
