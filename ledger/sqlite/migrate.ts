import type { DatabaseSync } from "node:sqlite";
import { FleetkeeperError } from "../../service/errors.ts";
import { initial } from "./migrations/001-initial.ts";
import { history } from "./migrations/002-history.ts";
import { written } from "./migrations/003-written.ts";

/** In order, append only: a step that was released is never edited. */
const MIGRATIONS: readonly string[] = [initial, history, written];

/** "fkpr": tells a ledger from other SQLite files, so that a stranger's database is never written to. */
const APPLICATION_ID = 0x666b_7072;

/** True for a ledger of this version or an older one, by the numbers in its header. */
export function isKnown({ version, application }: { version: number; application: number }): boolean {
  return application === APPLICATION_ID && version <= MIGRATIONS.length;
}

/** Throws LEDGER if a newer version wrote the database, or it is no ledger. Changes nothing. */
export function check(db: DatabaseSync, location: string): void {
  const version = pragma(db, "user_version");
  if (pragma(db, "application_id") !== APPLICATION_ID && (version !== 0 || tables(db) > 0)) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: this is a SQLite file, but not a fleetkeeper ledger. It was not touched. Name another path.`,
    );
  }
  if (version > MIGRATIONS.length) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: this ledger has version ${version}, and this fleetkeeper knows versions up to ${MIGRATIONS.length}. ` +
        "It was not touched. Install the fleetkeeper that wrote it, or a newer one.",
    );
  }
}

/** Throws LEDGER if pages or indexes contradict each other: claims in such a file must not be acted upon. */
export function checkIntegrity(db: DatabaseSync, location: string): void {
  const found = Object.values(db.prepare("PRAGMA quick_check(1)").get() ?? {})[0];
  if (found === "ok") return;
  throw new FleetkeeperError(
    "LEDGER",
    `${location}: the ledger is damaged (${String(found).replaceAll("\n", " ")}). Nothing is launched with it. Restore it from a backup.`,
  );
}

/** Brings the file to this version's tables, in one transaction. */
export function migrate(db: DatabaseSync, location: string, fresh: { id: string; now: number }): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    // Again, under the lock: another process may have come first.
    check(db, location);
    const version = pragma(db, "user_version");
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    if (version === 0) {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.prepare("INSERT INTO ledger (id, created) VALUES (?, ?)").run(fresh.id, fresh.now);
    }
    if (version < MIGRATIONS.length) db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function pragma(db: DatabaseSync, name: "user_version" | "application_id"): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}

function tables(db: DatabaseSync): number {
  return Number(db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n);
}
