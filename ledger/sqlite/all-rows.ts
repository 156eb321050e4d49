import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import {
  type AllRows,
  type Cell,
  COPIED,
  type CopiedTable,
  type Made,
  type Purpose,
  type Seal,
} from "../copy.ts";
import { lackingIn, seal, sealOf, unseal, versionOf } from "./migrate.ts";
import { openSqliteLedger } from "./sqlite-ledger.ts";
import { asLedgerError } from "./trouble.ts";

const ORDER: Readonly<Record<CopiedTable, string>> = {
  ...{ account: "key", intent: "rowid", deployment: "rowid", slot: "rowid", fleet: "rowid" },
  ...{ cooldown: "base_url, combination", event: "sequence", stretch: "account, at" },
  ...{ market: "account, at", sample: "account, at" },
};

/** How long it waits for another process's transaction, in ms. */
const BUSY_MS = 5_000;

/**
 * The ledger in this file. `make`: where there is none, it is made, so that it can take a copy. Throws CONFIG if
 * there is none, and none is made. See `AllRows`.
 */
export async function openAllRowsSqlite(
  path: string,
  make?: Made,
  purpose: Purpose = "change",
): Promise<AllRows> {
  const location = resolve(path);
  try {
    if (!existsSync(location) && !make)
      throw new FleetkeeperError("CONFIG", `${location}: there is no ledger here.`);
    if (!existsSync(location) || !isSealed(location)) await prepare(path, make, purpose);
    const db = new DatabaseSync(realpathSync(location), { timeout: BUSY_MS });
    return new AllRowsSqlite(db, location, purpose);
  } catch (error) {
    throw asLedgerError(error, location);
  }
}

/** Brings an older one to this version, and refuses what is none. */
async function prepare(path: string, make: Made | undefined, purpose: Purpose): Promise<void> {
  const ledger = openSqliteLedger({ path, newId: make?.id ?? "", now: make?.created ?? 0 });
  try {
    const [account] = purpose === "change" ? await ledger.accounts() : [];
    // Any decision writes down that the file was restored. Nothing else of the copy would show it.
    if (account) await ledger.decide(account.key, () => undefined);
  } finally {
    ledger.close();
  }
}

function isSealed(file: string): boolean {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    return sealOf(db) !== undefined;
  } finally {
    db.close();
  }
}

class AllRowsSqlite implements AllRows {
  readonly location: string;
  id: string;
  created: number;
  readonly version: number;
  readonly seal: Seal | undefined;
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync, location: string, purpose: Purpose) {
    this.#db = db;
    this.location = location;
    try {
      db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
      db.exec(purpose === "look" ? "BEGIN DEFERRED" : "BEGIN IMMEDIATE");
      this.version = versionOf(db);
      this.seal = sealOf(db);
      const made = db.prepare("SELECT id, created FROM ledger").get();
      this.id = String(made?.id);
      this.created = Number(made?.created);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  async *rows(table: CopiedTable): AsyncIterable<readonly Cell[]> {
    const columns = COPIED[table].map((name) =>
      table === "intent" && name === "archived" ? "archived IS NOT NULL AS archived" : name,
    );
    const found = this.#db.prepare(`SELECT ${columns.join(", ")} FROM ${table} ORDER BY ${ORDER[table]}`);
    for (const row of found.iterate()) yield Object.values(row) as Cell[];
  }

  async put(table: CopiedTable, rows: readonly (readonly Cell[])[]): Promise<void> {
    const values = COPIED[table].map((name) =>
      table === "intent" && name === "archived" ? "CASE WHEN ? THEN '' END" : "?",
    );
    const put = this.#db.prepare(
      `INSERT INTO ${table} (${COPIED[table].join(", ")}) VALUES (${values.join(", ")})`,
    );
    this.#guarded(() => {
      for (const row of rows) put.run(...row);
    });
  }

  async become({ id, created }: Made): Promise<void> {
    this.#db.prepare("UPDATE ledger SET id = ?, created = ?").run(id, created);
    this.id = id;
    this.created = created;
  }

  async setSeal(to: Seal | undefined): Promise<void> {
    this.#guarded(() => (to ? seal(this.#db, to) : unseal(this.#db)));
  }

  async flaws(): Promise<readonly string[]> {
    const pages = this.#db.prepare("PRAGMA integrity_check").all().flatMap(Object.values);
    const strays = this.#db.prepare("PRAGMA foreign_key_check").all();
    return [
      ...pages.filter((text) => text !== "ok").map((text) => `the file is damaged: ${text}`),
      ...strays.map(({ table }) => `a row of the table ${table} belongs to no account`),
      ...lackingIn(this.#db).map((name) => `${name} is missing, or is not what fleetkeeper made`),
    ];
  }

  async commit(): Promise<void> {
    this.#guarded(() => {
      // Else the copy would look like a file that something else has written.
      this.#db.prepare("UPDATE ledger SET written = ?").run(Date.now());
      this.#db.exec("COMMIT");
    });
  }

  async close(): Promise<void> {
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    this.#db.close();
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw asLedgerError(error, this.location);
    }
  }
}
