import { DatabaseSync } from "node:sqlite";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { SEAL_TABLE, SEALED, type Seal, sealedError } from "../copy.ts";
import { initial } from "./migrations/001-initial.ts";
import { history } from "./migrations/002-history.ts";
import { written } from "./migrations/003-written.ts";
import { needs } from "./migrations/004-needs.ts";
import { versions } from "./migrations/005-versions.ts";
import { accountWritten } from "./migrations/006-account-written.ts";
import { markedOnce } from "./migrations/007-marked-once.ts";
import { archive } from "./migrations/008-archive.ts";
import { market } from "./migrations/009-market.ts";
import { sample } from "./migrations/010-sample.ts";

/** One step from a ledger version to the next. */
interface Migration {
  readonly sql: string;
  /**
   * True: a program without this step may still use the ledger. It neither reads nor breaks what the step
   * added; new columns may be null or have a default. A new state or claim in a row is not additive, even
   * without SQL.
   */
  readonly additive: boolean;
}

/** In order, append only: a released step is never edited. Their number is the ledger version. */
const MIGRATIONS: readonly Migration[] = [
  { sql: initial, additive: false },
  { sql: history, additive: true },
  // A program that writes without saying when makes the file look restored.
  { sql: written, additive: false },
  { sql: needs, additive: true },
  // Its triggers work for programs that do not know of it.
  { sql: versions, additive: true },
  // A program that looks for the newest write in one place only takes the file for a restored one.
  { sql: accountWritten, additive: false },
  { sql: markedOnce, additive: true },
  // A program that does not know of it reads all rows, as before.
  { sql: archive, additive: true },
  { sql: market, additive: true },
  { sql: sample, additive: true },
];

/**
 * When fleetkeeper last wrote to the file, wall time in ms; null: it is an older version's. A time after `?` is
 * a wrong clock's, and would hide a backup of another day.
 */
export const WRITTEN = `
  SELECT max(written) AS written FROM (SELECT written FROM ledger UNION ALL SELECT written FROM account)
  WHERE written <= ?`;

/** The ledger version of the newest step that is not additive. */
const NEEDED = MIGRATIONS.findLastIndex(({ additive }) => !additive) + 1;

/** "fkpr": tells a ledger from other SQLite files, so that a stranger's database is never written to. */
const APPLICATION_ID = 0x666b_7072;

/** True for a ledger of this version or an older one, by the numbers in its header. */
export function isKnown({ version, application }: { version: number; application: number }): boolean {
  return application === APPLICATION_ID && version <= MIGRATIONS.length;
}

/** Throws LEDGER if the database is no ledger, or newer than this program can read. Changes nothing. */
export function check(db: DatabaseSync, location: string): void {
  const version = pragma(db, "user_version");
  if (pragma(db, "application_id") !== APPLICATION_ID && (version !== 0 || tables(db) > 0)) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: this is a SQLite file, but not a fleetkeeper ledger. It was not touched. Name another path.`,
    );
  }
  if (version <= MIGRATIONS.length) return;
  const sealed = sealOf(db);
  if (sealed) throw sealedError(location, sealed);
  const needed = neededBy(db) ?? version;
  if (needed <= MIGRATIONS.length) return;
  throw new FleetkeeperError(
    "LEDGER",
    `${location}: this ledger has version ${version}, and only a fleetkeeper that knows version ${needed} may use it; this one knows ` +
      `versions up to ${MIGRATIONS.length}. It was not touched. Install the fleetkeeper that wrote it, or a newer one.`,
  );
}

/** The version of its tables. */
export function versionOf(db: DatabaseSync): number {
  return pragma(db, "user_version");
}

/** Tables, indexes and triggers of this version that a ledger lacks, or has in another form, by name. */
export function lackingIn(db: DatabaseSync): readonly string[] {
  const made = new DatabaseSync(":memory:");
  for (const { sql } of MIGRATIONS) made.exec(sql);
  const things = "SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL";
  const found = new Map(
    db
      .prepare(things)
      .all()
      .map(({ type, name, sql }) => [`${type} ${name}`, sql]),
  );
  const missing = made
    .prepare(things)
    .all()
    .filter(({ type, name, sql }) => found.get(`${type} ${name}`) !== sql);
  made.close();
  return missing.map(({ type, name }) => `the ${type} ${name}`);
}

/** Why nobody may use this ledger. */
export function sealOf(db: DatabaseSync): Seal | undefined {
  if (pragma(db, "user_version") !== SEALED) return undefined;
  return db.prepare(`SELECT state, other FROM ${SEAL_TABLE}`).get() as unknown as Seal;
}

/** From now on no program uses this ledger. Within a transaction. */
export function seal(db: DatabaseSync, { state, other }: Seal): void {
  db.exec(`CREATE TABLE IF NOT EXISTS ${SEAL_TABLE} (state TEXT NOT NULL, other TEXT NOT NULL) STRICT`);
  db.exec(`DELETE FROM ${SEAL_TABLE}`);
  db.prepare(`INSERT INTO ${SEAL_TABLE} (state, other) VALUES (?, ?)`).run(state, other);
  db.prepare("UPDATE ledger SET needs = ?").run(SEALED);
  db.exec(`PRAGMA user_version = ${SEALED}`);
}

/** It may be used again. Within a transaction. */
export function unseal(db: DatabaseSync): void {
  db.exec(`DROP TABLE IF EXISTS ${SEAL_TABLE}`);
  db.prepare("UPDATE ledger SET needs = ?").run(NEEDED);
  db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
}

/** The ledger version that a program must know, by the newest writer; undefined: not stated. */
function neededBy(db: DatabaseSync): number | undefined {
  try {
    const found = db.prepare("SELECT needs FROM ledger").get()?.needs;
    return typeof found === "number" ? found : undefined;
  } catch {
    // A newer step has changed its tables.
    return undefined;
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

/** The version of an older ledger, which is to be changed; undefined: there is none, or it is not older. */
export function olderVersion(db: DatabaseSync): number | undefined {
  const version = pragma(db, "user_version");
  return version > 0 && version < MIGRATIONS.length ? version : undefined;
}

/**
 * Brings an older file to this version's tables, in one transaction. A newer one stays as it is. `written` is
 * this moment, wall time in ms; a ledger that fleetkeeper wrote before `ours` was changed by something else.
 * True if this moment is stored as that of fleetkeeper's newest write.
 */
export function migrate(
  db: DatabaseSync,
  location: string,
  fresh: { id: string; now: number },
  { written, ours }: { written: number; ours: number },
): boolean {
  let isStamped = false;
  db.exec("BEGIN IMMEDIATE");
  try {
    // Again, under the lock: another process may have come first.
    check(db, location);
    const version = pragma(db, "user_version");
    for (const { sql } of MIGRATIONS.slice(version)) db.exec(sql);
    if (version === 0) {
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.prepare("INSERT INTO ledger (id, created) VALUES (?, ?)").run(fresh.id, fresh.now);
    }
    if (version < MIGRATIONS.length) {
      db.prepare("UPDATE ledger SET needs = ?").run(NEEDED);
      // This is a write like any other. Without its time the file would look restored at the next start.
      const stamped = db.prepare(`UPDATE ledger SET written = ? WHERE (${WRITTEN}) >= ?`);
      isStamped = stamped.run(written, written, ours).changes !== 0;
      db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    }
    db.exec("COMMIT");
    return isStamped;
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
