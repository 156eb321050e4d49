import type { DatabaseSync } from "node:sqlite";
import { FleetkeeperError } from "../service/errors.ts";
import { initial } from "./migrations/001-initial.ts";

/** In order, append only: a step that was released is never edited. */
const MIGRATIONS: readonly string[] = [initial];

/** "fkpr": tells a ledger from any other SQLite file, so that a stranger's database is never written to. */
const APPLICATION_ID = 0x666b_7072;

/**
 * Brings the file to this version's tables, in one transaction. A file of a newer version, or one that is no ledger,
 * is refused and not touched.
 */
export function migrate(db: DatabaseSync, location: string, fresh: { id: string; now: number }): void {
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = pragma(db, "user_version");
    const application = pragma(db, "application_id");
    if (version > MIGRATIONS.length) {
      throw new FleetkeeperError(
        "LEDGER",
        `${location}: this ledger has version ${version}, and this fleetkeeper knows versions up to ${MIGRATIONS.length}. ` +
          "It was not touched. Install the fleetkeeper that wrote it, or a newer one.",
      );
    }
    if (application !== APPLICATION_ID && (version !== 0 || tables(db) > 0)) {
      throw new FleetkeeperError(
        "LEDGER",
        `${location}: this is a SQLite file, but not a fleetkeeper ledger. It was not touched. Name another path.`,
      );
    }
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
