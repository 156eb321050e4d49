import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new folder that goes with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ledger-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
