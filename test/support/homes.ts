import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Once a run: own-home.ts makes a home below it for each worker. A worker is killed at its end, and could not take its own away. */
export function setup(): () => void {
  const homes = mkdtempSync(join(tmpdir(), "fleetkeeper-homes-"));
  process.env.HOMES_OF_TESTS = homes;
  return () => rmSync(homes, { recursive: true, force: true });
}
