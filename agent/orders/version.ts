import { createHash } from "node:crypto";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { machineVersion } from "../status/machine-version.ts";
import { sourceOfFile } from "./api-declaration.ts";
import { refusal } from "./refusal.ts";

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

/** In the place of a version: whoever declares the fleet has seen that there is none. */
export const NO_FLEET = "none";

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

/** What of its fleets makes the version of a fleet file of the API. A part that it has left out goes by itself, and is none of it. */
export function isVersionedBy(file: string, { source, removed, part }: FleetRow): boolean {
  return source === sourceOfFile(file) && !removed && part?.leaving !== "declaration";
}

/** The version of a machine. Undefined: the ledger does not know it. */
export function versionOfMachine({ deployments }: Draft, id: string): string | undefined {
  const row = deployments.ever(id);
  return row && machineVersion(row);
}

/** Throws CONFIG where a machine is not the one that a person was asked about, or another one's by now. */
export function refuseOtherMachine(draft: Draft, id: string, seen: string | undefined): void {
  const now = versionOfMachine(draft, id);
  if (now === seen) return;
  throw refusal(
    `${id} was changed since you were asked: it is another machine now, or another one's. Nothing was done. See fleetkeeper deployments show ${id}, and give the order anew.`,
  );
}
