import { createHash } from "node:crypto";
import type { FleetRow } from "../../ledger/rows.ts";

/**
 * Which declaration and which orders of a fleet somebody has seen: another one follows whenever either changes, and none
 * from what its machines do, or from a share that moves to another part. 16 hexadecimal digits.
 */
export function fleetVersion(fleet: FleetRow): string {
  const { source, part, wish, removed, paused, drained, lowered, ask } = fleet;
  const declared = part ? [part.of, part.whole, part.atLeast ?? null, part.leaving ?? null] : wish;
  const said = [source, declared, removed, paused, drained?.by ?? null, lowered ?? 0, ask?.now ?? null];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 16);
}

/** The same of a fleet in several accounts: that of each part, by its name. */
export function versionOfParts(parts: ReadonlyMap<string, FleetRow>): string {
  return [...parts]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, fleet]) => `${name}=${fleetVersion(fleet)}`)
    .join(" ");
}

/** What such a version says of each part. */
export function versionsIn(version: string): ReadonlyMap<string, string> {
  return new Map(
    version
      .split(" ")
      .map((each) => [each.slice(0, each.lastIndexOf("=")), each.slice(each.lastIndexOf("=") + 1)]),
  );
}
