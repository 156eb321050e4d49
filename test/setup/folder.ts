import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder that is gone after the test. */
export function emptyFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files given by their relative names. */
export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** A command that prints something and exits. */
export function fakeCommand(folder: string, name: string, script: string): string {
  write(folder, { [name]: `#!/bin/sh\n${script}\n` });
  const file = path.join(folder, name);
  chmodSync(file, 0o755);
  return file;
}
