import { createHash } from "node:crypto";
import type { FleetRow } from "../../ledger/rows.ts";

/**
 * Which declaration and which orders of a fleet somebody has seen: another one follows whenever either changes, and none
 * from what its machines do. 16 hexadecimal digits.
 */
export function fleetVersion({ source, wish, removed, paused, drained, lowered, ask }: FleetRow): string {
  const said = [source, wish, removed, paused, drained?.by ?? null, lowered ?? 0, ask?.now ?? null];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex").slice(0, 16);
}
