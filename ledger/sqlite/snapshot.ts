import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { asLedgerError } from "./trouble.ts";

/** Copies all that is committed in this file to another one that is not there yet. The file is opened for reading alone. Throws LEDGER. */
export function snapshot(path: string, to: string): void {
  const location = resolve(path);
  try {
    // The WAL of a ledger behind a link stands beside the file itself.
    const file = realpathSync(location);
    const url = pathToFileURL(file);
    // Without a WAL the file does not change now. SQLite is told so, or it would leave side files behind.
    if (!existsSync(`${file}-wal`)) url.searchParams.set("immutable", "1");
    const db = new DatabaseSync(url, { readOnly: true, timeout: 5_000 });
    try {
      db.prepare("VACUUM INTO ?").run(to);
    } finally {
      db.close();
    }
  } catch (error) {
    throw asLedgerError(error, location);
  }
}
