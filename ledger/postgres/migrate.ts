import { FleetkeeperError } from "../../service/contract/errors.ts";
import { type Made, SEAL_TABLE, SEALED, type Seal, sealedError } from "../copy.ts";
import type { Connections, Transaction } from "./connections.ts";
import { initial } from "./migrations/001-initial.ts";
import { lease } from "./migrations/002-lease.ts";
import { epoch } from "./migrations/003-epoch.ts";
import { market } from "./migrations/004-market.ts";
import { sample } from "./migrations/005-sample.ts";

/** One step from a ledger version to the next. */
interface Migration {
  readonly sql: string;
  /**
   * True: a program without this step may still use the ledger. It neither reads nor breaks what the step
   * added. A new state or claim in a row is not additive, even without SQL.
   */
  readonly additive: boolean;
}

const CREATED = /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER|FUNCTION) (?:fleetkeeper\.)?(\w+)/gm;

/** In order, append only: a released step is never edited. Their number is the ledger version. */
const MIGRATIONS: readonly Migration[] = [
  { sql: initial, additive: false },
  // An agent without leases keeps an account beside the one that holds it.
  { sql: lease, additive: false },
  { sql: epoch, additive: false },
  { sql: market, additive: true },
  { sql: sample, additive: true },
];

/** The ledger version of the newest step that is not additive. */
const NEEDED = MIGRATIONS.findLastIndex(({ additive }) => !additive) + 1;

/** The names of all tables, indexes, triggers and functions (with `()`) of this version. */
export const MADE: readonly string[] = [
  ...new Set(MIGRATIONS.flatMap(({ sql }) => [...sql.matchAll(CREATED)].map(nameOf))),
];

interface StoredLedger {
  readonly id: string;
  readonly created: string;
  readonly version: number;
  readonly needs: number;
}

/**
 * Finds the ledger in the schema `fleetkeeper`, brings it to this version, or makes it. `fresh` is used if it
 * is made. Safe for many processes at once. Throws LEDGER, and changes nothing, if the schema holds something
 * else, or a ledger that this program is too old for.
 */
export async function migrate(connections: Connections, fresh: Made): Promise<Made> {
  const { location } = connections;
  const found = await connections.run("snapshot", (transaction) => look(transaction, location));
  if (found && found.version >= MIGRATIONS.length) return madeOf(found);
  return connections.run("write", async (transaction) => {
    // One process at a time, until the end of this transaction. The number is any: "fkpr".
    await transaction.query("SELECT pg_advisory_xact_lock(1718317170)");
    // Again, under the lock: another process may have come first.
    const before = await look(transaction, location);
    if (before && before.version >= MIGRATIONS.length) return madeOf(before);
    if (before) {
      // No decision is under way: the next one sees what this ledger needs.
      await transaction.query("LOCK TABLE fleetkeeper.service IN ACCESS EXCLUSIVE MODE");
    } else if (!(await hasSchema(transaction))) await transaction.query("CREATE SCHEMA fleetkeeper");
    for (const { sql } of MIGRATIONS.slice(before?.version ?? 0)) await transaction.query(sql);
    const made = before ? madeOf(before) : fresh;
    await transaction.query(
      `INSERT INTO fleetkeeper.ledger (id, created, version, needs) VALUES ($1, $2, $3, $4)
       ON CONFLICT (one) DO UPDATE SET version = excluded.version, needs = excluded.needs`,
      [made.id, made.created, MIGRATIONS.length, NEEDED],
    );
    return made;
  });
}

/** Whether there is a ledger. Throws LEDGER as `migrate` does. */
export async function isThere(connections: Connections): Promise<boolean> {
  const found = await connections.run("snapshot", (transaction) => look(transaction, connections.location));
  return found !== undefined;
}

/** Why nobody may use this ledger. */
export async function sealOf(transaction: Transaction): Promise<Seal | undefined> {
  const [found] = await transaction.query<{ needs: number }>("SELECT needs FROM fleetkeeper.ledger");
  if (found?.needs !== SEALED) return undefined;
  return (await transaction.query<Seal>(`SELECT state, other FROM fleetkeeper.${SEAL_TABLE}`))[0];
}

/** From now on no program uses this ledger. */
export async function seal(transaction: Transaction, { state, other }: Seal): Promise<void> {
  await transaction.query(
    `CREATE TABLE IF NOT EXISTS fleetkeeper.${SEAL_TABLE} (state text NOT NULL, other text NOT NULL)`,
  );
  await transaction.query(`DELETE FROM fleetkeeper.${SEAL_TABLE}`);
  await transaction.query(`INSERT INTO fleetkeeper.${SEAL_TABLE} (state, other) VALUES ($1, $2)`, [
    state,
    other,
  ]);
  await transaction.query("UPDATE fleetkeeper.ledger SET needs = $1", [SEALED]);
}

/** It may be used again. */
export async function unseal(transaction: Transaction): Promise<void> {
  await transaction.query(`DROP TABLE IF EXISTS fleetkeeper.${SEAL_TABLE}`);
  await transaction.query("UPDATE fleetkeeper.ledger SET needs = $1", [NEEDED]);
}

/** Throws LEDGER if this program is too old for a ledger that needs this version, or if it was moved. */
export function checkNeeds(needs: number, location: string): void {
  if (needs <= MIGRATIONS.length) return;
  if (needs === SEALED) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: this ledger was moved to another place by fleetkeeper ledger copy, while it was in use here. Start again, and ` +
        "the error says where it is.",
    );
  }
  throw new FleetkeeperError(
    "LEDGER",
    `${location}: only a fleetkeeper that knows ledger version ${needs} may use this ledger; this one knows versions up to ` +
      `${MIGRATIONS.length}. It was not touched. Install the fleetkeeper that wrote it, or a newer one.`,
  );
}

/** Undefined: there is none yet. */
async function look(transaction: Transaction, location: string): Promise<StoredLedger | undefined> {
  // The catalogue may be read without any right in the schema.
  const things = await transaction.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_catalog.pg_class c
     JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'fleetkeeper'`,
  );
  if (things.length === 0) return undefined;
  const columns = await transaction.query<{ name: string }>(
    `SELECT a.attname AS name FROM pg_catalog.pg_attribute a
     JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'fleetkeeper' AND c.relname = 'ledger' AND NOT a.attisdropped`,
  );
  const names = new Set(columns.map(({ name }) => name));
  if (!["one", "id", "created", "version", "needs"].every((name) => names.has(name))) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: the schema fleetkeeper of this database is no ledger, or a much newer one. It was not touched. ` +
        "Name another database, or install a newer fleetkeeper.",
    );
  }
  const [found] = await transaction.query<StoredLedger>(
    "SELECT id, created, version, needs FROM fleetkeeper.ledger",
  );
  if (!found) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: the ledger is damaged: it has lost its own id. Restore it from a backup.`,
    );
  }
  const sealed = found.needs === SEALED ? await sealOf(transaction) : undefined;
  if (sealed) throw sealedError(location, sealed);
  checkNeeds(found.needs, location);
  return found;
}

/** A database's owner may have made it, for a role that may make none. */
async function hasSchema(transaction: Transaction): Promise<boolean> {
  const found = await transaction.query("SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'fleetkeeper'");
  return found.length > 0;
}

function nameOf([, kind, name = ""]: RegExpExecArray): string {
  return kind === "FUNCTION" ? `${name}()` : name;
}

function madeOf({ id, created }: StoredLedger): Made {
  return { id, created: Number(created) };
}
