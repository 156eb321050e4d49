import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];
afterAll(() => {
  for (const each of made.splice(0)) rmSync(each, { recursive: true, force: true });
});

/** A new folder that goes with the test file. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "ledger-"));
  made.push(path);
  return path;
}
