import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

/**
 * Where a ledger of an older version is kept when a newer program changes its tables.
 * @internal Exported for its test.
 */
export function backupOf(file: string, version: number): string {
  return `${file}.version-${version}`;
}

/**
 * Copies the ledger as it stands beside it, readable by whom it is readable by. The file gets its name only
 * once it is whole. If another process was quicker, and has changed the ledger meanwhile, its copy stays.
 * Throws what SQLite or the file system throws.
 */
export function backUp(db: DatabaseSync, file: string, version: number): void {
  const copy = `${file}.copy-${process.pid}`;
  rmSync(copy, { force: true });
  closeSync(openSync(copy, "wx", statSync(file).mode & 0o777));
  try {
    db.prepare("VACUUM INTO ?").run(copy);
    const handle = openSync(copy, "r+");
    const header = Buffer.alloc(64);
    readSync(handle, header);
    fsyncSync(handle);
    closeSync(handle);
    if (header.readUInt32BE(60) === version) renameSync(copy, backupOf(file, version));
  } finally {
    rmSync(copy, { force: true });
  }
}
