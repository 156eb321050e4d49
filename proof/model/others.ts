import type { DeploymentRow } from "../../ledger/rows.ts";
import type { Launch } from "./ghost.ts";
import type { Truly } from "./truly.ts";

/* Where others launch, too: what may be decided of a machine there, by what the service truly did. */

/** Only what shows whose it is is certainly ours: an answer named it, or it carries our marker. Undefined: this one may be. */
export function whyNotCertain(
  { id, marker }: DeploymentRow,
  launches: Iterable<Launch>,
  truly: Truly,
): string | undefined {
  const all = [...launches].map(({ row }) => row);
  const isNamed = all.some(({ answer }) => answer?.id === id || answer?.unshown === id);
  const isMarked = marker !== null && all.some((row) => row.marker === marker);
  if (isNamed || isMarked || truly.isAnswered(id)) return undefined;
  return `${id.slice(0, 8)} is claimed for certain, by looking alone, where others launch`;
}

/** More machines than launches explain: that needs one of others, or one that comes late. Undefined: there is one. */
export function whyNotDisputed(launch: string, listed: Iterable<string>, truly: Truly): string | undefined {
  if ([...listed].some((id) => truly.isOfOthers(id) || truly.isLateOne(id))) return undefined;
  return `${launch} is disputed, though all that lists showed is what launches of ours made in time`;
}
