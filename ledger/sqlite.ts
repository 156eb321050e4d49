import { closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { combinationKey } from "../service/contract.ts";
import { FleetkeeperError } from "../service/errors.ts";
import type { Change, Rows } from "./draft.ts";
import { Draft } from "./draft.ts";
import type { Ledger, OpenAccount } from "./ledger.ts";
import { migrate } from "./migrate.ts";
import type { AccountRow, EventRow } from "./rows.ts";

export interface SqliteLedgerOptions {
  /** A file on a local disk, or `:memory:`. */
  readonly path: string;
  /** A new random id, used if the file is made. */
  readonly newId: string;
  /** Wall time in ms, for the same case. */
  readonly now: number;
}

/** How long a process waits for another one's transaction. They last milliseconds; the wait blocks the event loop. */
const BUSY_MS = 5_000;

/** File systems on which SQLite's WAL breaks, by the magic number of statfs(2): NFS, SMB, CIFS, SMB2, 9P, FUSE. */
const NETWORK_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

/** Opens the ledger file, making it and its folder if needed. Safe for several processes at once. */
export function openSqliteLedger(options: SqliteLedgerOptions): Ledger {
  const { path } = options;
  const location = path === ":memory:" ? path : resolve(path);
  try {
    if (path !== ":memory:") prepareFile(location);
    const db = new DatabaseSync(location, { timeout: BUSY_MS });
    try {
      db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
      migrate(db, location, { id: options.newId, now: options.now });
      return new SqliteLedger(db, location);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw asLedgerError(error, location);
  }
}

class SqliteLedger implements Ledger {
  readonly id: string;
  readonly location: string;
  private readonly db: DatabaseSync;
  private readonly sql: Statements;

  constructor(db: DatabaseSync, location: string) {
    this.db = db;
    this.location = location;
    this.sql = prepareStatements(db);
    this.id = String(db.prepare("SELECT id FROM ledger").get()?.id);
  }

  async openAccount({ baseUrl, account, tenure }: OpenAccount): Promise<string> {
    const key = `${baseUrl} ${account.id}`;
    this.transaction(() => {
      const stored = this.sql.account.get(key);
      const row: AccountRow = stored
        ? { ...read<AccountRow>(stored), email: account.email, ...(tenure ? { tenure } : {}) }
        : {
            key,
            baseUrl,
            accountId: account.id,
            email: account.email,
            tenure: tenure ?? "unstated",
            sequence: 0,
            profiles: {},
            list: null,
            doubt: null,
            balance: null,
            agent: null,
          };
      this.sql.putAccount.run(key, baseUrl, account.id, JSON.stringify(row));
    });
    return key;
  }

  async accounts(): Promise<readonly AccountRow[]> {
    return this.guarded(() => this.sql.accounts.all().map((row) => read<AccountRow>(row)));
  }

  async accountOfSlot(slot: string): Promise<string | undefined> {
    return this.guarded(() => text(this.sql.accountOfSlot.get(slot)?.account));
  }

  async accountOfFleet(name: string): Promise<string | undefined> {
    return this.guarded(() => text(this.sql.accountOfFleet.get(name)?.account));
  }

  async decide<T>(account: string, decision: (draft: Draft) => T): Promise<T> {
    return this.transaction(() => {
      const draft = new Draft(this.load(account));
      const result = decision(draft);
      for (const change of draft.changes) this.apply(account, change);
      return result;
    });
  }

  async read(account: string): Promise<Rows> {
    return this.guarded(() => this.load(account));
  }

  async events(account: string, limit: number): Promise<readonly EventRow[]> {
    return this.guarded(() => this.sql.events.all(account, limit).map((row) => read<EventRow>(row)));
  }

  close(): void {
    this.db.close();
  }

  private load(account: string): Rows {
    const found = this.sql.account.get(account);
    if (!found)
      throw new FleetkeeperError("LEDGER", `${this.location}: no account ${account} in this ledger.`);
    const row = read<AccountRow>(found);
    return {
      account: row,
      intents: this.sql.intents.all(account).map(read) as Rows["intents"],
      deployments: this.sql.deployments.all(account).map(read) as Rows["deployments"],
      slots: this.sql.slots.all(account).map(read) as Rows["slots"],
      fleets: this.sql.fleets.all(account).map(read) as Rows["fleets"],
      cooldowns: this.sql.cooldowns.all(row.baseUrl).map(read) as Rows["cooldowns"],
    };
  }

  private apply(account: string, change: Change): void {
    const json = JSON.stringify(change.row);
    switch (change.table) {
      case "account":
        this.sql.putAccount.run(change.row.key, change.row.baseUrl, change.row.accountId, json);
        return;
      case "intent":
        this.sql.putIntent.run(change.row.id, account, change.row.group, change.row.state, json);
        return;
      case "deployment":
        this.sql.putDeployment.run(account, change.row.id, change.row.claim, change.row.end, json);
        return;
      case "slot":
        this.sql.putSlot.run(change.row.id, account, json);
        return;
      case "fleet":
        this.sql.putFleet.run(change.row.name, account, json);
        return;
      case "cooldown":
        this.sql.putCooldown.run(account, combinationKey(change.row), json);
        return;
      case "event":
        this.sql.putEvent.run(account, change.row.at, json);
        return;
    }
  }

  /** IMMEDIATE: takes the write lock before reading, so that what a decision read is still true when it is stored. */
  private transaction<T>(work: () => T): T {
    return this.guarded(() => {
      this.db.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        this.db.exec("COMMIT");
        return result;
      } catch (error) {
        if (this.db.isTransaction) this.db.exec("ROLLBACK");
        throw error;
      }
    });
  }

  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asLedgerError(error, this.location);
    }
  }
}

type Statements = ReturnType<typeof prepareStatements>;

function prepareStatements(db: DatabaseSync) {
  const put = (sql: string): StatementSync => db.prepare(sql);
  return {
    account: db.prepare("SELECT row FROM account WHERE key = ?"),
    accounts: db.prepare("SELECT row FROM account ORDER BY key"),
    intents: db.prepare("SELECT row FROM intent WHERE account = ? ORDER BY rowid"),
    deployments: db.prepare("SELECT row FROM deployment WHERE account = ?"),
    slots: db.prepare("SELECT row FROM slot WHERE account = ? ORDER BY rowid"),
    fleets: db.prepare("SELECT row FROM fleet WHERE account = ? ORDER BY name"),
    cooldowns: db.prepare("SELECT row FROM cooldown WHERE base_url = ?"),
    events: db.prepare("SELECT row FROM event WHERE account = ? ORDER BY sequence DESC LIMIT ?"),
    accountOfSlot: db.prepare("SELECT account FROM slot WHERE id = ?"),
    accountOfFleet: db.prepare("SELECT account FROM fleet WHERE name = ?"),
    putAccount: put(
      `INSERT INTO account (key, base_url, account_id, row) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET row = excluded.row`,
    ),
    putIntent: put(
      `INSERT INTO intent (id, account, grouped, state, row) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET grouped = excluded.grouped, state = excluded.state, row = excluded.row`,
    ),
    putDeployment: put(
      `INSERT INTO deployment (account, id, claim, ended, row) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (account, id) DO UPDATE SET claim = excluded.claim, ended = excluded.ended, row = excluded.row`,
    ),
    putSlot: put(
      `INSERT INTO slot (id, account, row) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET row = excluded.row`,
    ),
    putFleet: put(
      `INSERT INTO fleet (name, account, row) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET row = excluded.row`,
    ),
    putCooldown: put(
      `INSERT INTO cooldown (base_url, combination, row)
       VALUES ((SELECT base_url FROM account WHERE key = ?), ?, ?)
       ON CONFLICT (base_url, combination) DO UPDATE SET row = excluded.row`,
    ),
    putEvent: put("INSERT INTO event (account, at, row) VALUES (?, ?, ?)"),
  };
}

function read<T>(stored: Record<string, unknown>): T {
  return JSON.parse(String(stored.row)) as T;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function prepareFile(location: string): void {
  mkdirSync(dirname(location), { recursive: true });
  const folder = realpathSync(dirname(location));
  if (NETWORK_FILE_SYSTEMS.has(statfsSync(folder).type)) {
    throw new FleetkeeperError(
      "LEDGER",
      `${location}: this folder is on a network file system, where SQLite cannot keep several processes apart. ` +
        "Put the ledger on a local disk.",
    );
  }
  // SQLite itself would only say so at the first read, after having made its side files.
  if (existsSync(location)) {
    const head = firstBytes(location, 16);
    if (head !== "" && head !== "SQLite format 3\u0000") {
      throw new FleetkeeperError(
        "LEDGER",
        `${location}: this file is not a ledger (or is damaged). It was not touched. Restore it from a backup, or name another path.`,
      );
    }
  }
}

function firstBytes(file: string, count: number): string {
  const handle = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(count);
    return buffer.toString("latin1", 0, readSync(handle, buffer));
  } finally {
    closeSync(handle);
  }
}

function asLedgerError(error: unknown, location: string): Error {
  if (error instanceof FleetkeeperError) return error;
  if (error instanceof Error && "code" in error && typeof error.code === "string") {
    const known = /ERR_SQLITE|EACCES|EROFS|ENOSPC|ENOTDIR|EISDIR|EPERM|ENOENT/.test(error.code);
    if (known) {
      return new FleetkeeperError(
        "LEDGER",
        `${location}: the ledger cannot be used: ${error.message}. Nothing is launched without it.`,
        { cause: error },
      );
    }
  }
  return error instanceof Error ? error : new Error(String(error));
}
