import { resolve } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { combinationKey } from "../../service/contract/contract.ts";
import { FleetkeeperError, isLedgerBusy, unhandled } from "../../service/contract/errors.ts";
import { accountRow } from "../account-row.ts";
import { soundly } from "../agreed.ts";
import type { History, Stretch } from "../chart-history.ts";
import { type ArchiveChange, type Change, Draft } from "../draft.ts";
import { type About, namings } from "../events-about.ts";
import type { Clock } from "../instant.ts";
import { lastOfEach } from "../last-of-each.ts";
import type { Ledger, OpenAccount } from "../ledger.ts";
import type { Market } from "../market.ts";
import type { AccountRow, IntentRow, StoredEvent } from "../rows.ts";
import type { Sample } from "../sample.ts";
import { Sleepers } from "../sleepers.ts";
import { read, readEvent } from "../stored-row.ts";
import type { Rows } from "../tables.ts";
import { backUp } from "./backup.ts";
import { changedAt, closeUnchanged, type FileSystemOf, hasWal, identityOf, prepareFile } from "./file.ts";
import { check, checkIntegrity, migrate, olderVersion } from "./migrate.ts";
import { openedHere } from "./open-files.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { asLedgerError } from "./trouble.ts";
import { Views } from "./views.ts";

export interface SqliteLedgerOptions {
  /** A file on a local disk, or `:memory:`. */
  readonly path: string;
  /** A new random id, used if the file is made. */
  readonly newId: string;
  /** Wall time in ms, used if the file is made. */
  readonly now: number;
  /** How the folder's file system is found; by default statfs(2). */
  readonly fileSystemOf?: FileSystemOf;
}

/** fleetkeeper's writes are in the file at its close at the latest. A later change is another's. */
const RESTORED_MS = 60_000;

/** How long a process waits for another one's transaction, which takes milliseconds. */
const BUSY_MS = 5_000;
/** Each try blocks the event loop this long. Between tries other work has its turn, such as a probe. */
const BLOCKED_MS = 20;
const BETWEEN_TRIES_MS = 50;
/** How often those who wait in an account look whether they are woken. */
const LOOK_MS = 500;
const TRIES = Math.ceil(BUSY_MS / (BLOCKED_MS + BETWEEN_TRIES_MS));

/** Opens the ledger file, making it and its folder if needed. Safe for several processes at once. */
export function openSqliteLedger(options: SqliteLedgerOptions): Ledger & History {
  const { path } = options;
  const location = path === ":memory:" ? path : resolve(path);
  try {
    const file = path === ":memory:" ? undefined : prepareFile(location, BUSY_MS, options.fileSystemOf);
    const changed = file === undefined ? 0 : changedAt(file);
    const db = new DatabaseSync(file ?? path, { timeout: BUSY_MS });
    try {
      db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
      checkIntegrity(db, location);
      const older = olderVersion(db);
      if (file !== undefined && older !== undefined) backUp(db, file, older);
      const fresh = { id: options.newId, now: options.now };
      const wrote = migrate(db, location, fresh, { written: Date.now(), ours: changed - RESTORED_MS });
      db.exec(`PRAGMA busy_timeout = ${BLOCKED_MS}`);
      return new SqliteLedger(db, location, file, { changed, wrote });
    } catch (error) {
      if (file === undefined) db.close();
      else closeUnchanged(db, file);
      throw error;
    }
  } catch (error) {
    throw asLedgerError(error, location);
  }
}

class SqliteLedger implements Ledger, History {
  readonly id: string;
  readonly created: number;
  readonly location: string;
  private readonly db: DatabaseSync;
  private readonly sql: Statements;
  private readonly file: string | undefined;
  private readonly identity: string | undefined;
  private readonly closed: () => void;
  private readonly views: Views;
  private readonly sleepers = new Sleepers();
  private looking: NodeJS.Timeout | undefined;
  private wrote: boolean;
  /** SQLite's number for the newest commit of another connection, when the ledger's version was last looked at. */
  private checked: unknown;
  /** When fleetkeeper wrote last, if something else changed the file since; else undefined. */
  private readonly overwritten: number | undefined;

  constructor(
    db: DatabaseSync,
    location: string,
    file: string | undefined,
    { changed, wrote }: { changed: number; wrote: boolean },
  ) {
    this.wrote = wrote;
    this.db = db;
    this.location = location;
    this.file = file;
    this.identity = file === undefined ? undefined : identityOf(file);
    this.sql = prepareStatements(db);
    this.views = new Views(this.sql, location, (work) => this.guarded(work));
    const made = db.prepare("SELECT id, created FROM ledger").get();
    const id = text(made?.id);
    const written = this.newestWrite();
    if (typeof written === "number" && changed > written + RESTORED_MS) this.overwritten = written;
    if (id === undefined) {
      throw new FleetkeeperError(
        "LEDGER",
        `${location}: the ledger is damaged: it has lost its own id. Restore it from a backup.`,
      );
    }
    this.id = id;
    this.created = Number(made?.created);
    this.closed = openedHere(this.identity);
  }

  clockOn(local: Clock): Clock {
    return local;
  }

  async openAccount(request: OpenAccount): Promise<string> {
    const { baseUrl, account } = request;
    const key = `${baseUrl} ${account.id}`;
    await this.transaction(() => {
      const stored = this.sql.account.get(key);
      const row = accountRow(key, stored && read("account", stored), request, this.location);
      const json = JSON.stringify(row);
      if (json === stored?.row) return;
      this.putAccount(row, json);
      this.views.forget(key);
    });
    return key;
  }

  async accounts(): Promise<readonly AccountRow[]> {
    return this.guarded(() => this.sql.accounts.all().map((row) => read("account", row)));
  }

  async accountOfSlot(slot: string): Promise<string | undefined> {
    return this.guarded(() => text(this.sql.accountOfSlot.get(slot)?.account));
  }

  async accountOfFleet(name: string): Promise<string | undefined> {
    return this.guarded(() => text(this.sql.accountOfFleet.get(name)?.account));
  }

  async decide<T>(account: string, decision: (draft: Draft) => T): Promise<T> {
    // A file is its computer's, whose clock is the ledger's: see `clockOn`.
    const sound = soundly(decision, Date.now);
    try {
      return await this.decideOnce(account, sound.decide);
    } catch (error) {
      const halt = sound.haltFor(error);
      if (halt) await this.decideOnce(account, halt);
      throw error;
    }
  }

  private async decideOnce<T>(account: string, decision: (draft: Draft) => T): Promise<T> {
    let wakes = 0;
    const decided = await this.transaction(() => {
      const view = this.views.of(account);
      const draft = new Draft(view.tables);
      const result = decision(draft);
      draft.close();
      wakes = draft.account.wakes ?? 0;
      // The account's row says itself when it was written, and has no version.
      const isVersioned = draft.changes.some(({ table }) => table !== "account");
      const version = isVersioned ? this.raise() : 0;
      for (const change of lastOfEach(draft.changes)) view.take(change, this.apply(account, change, version));
      view.sort(draft.changes, draft);
      if (draft.changes.length > 0) this.views.took(account, draft);
      return result;
    });
    // Who waits in this process need not wait for the next look.
    this.sleepers.look(account, wakes);
    return decided;
  }

  async read(account: string): Promise<Rows> {
    // One snapshot: a commit between two SELECTs would show a state that never was.
    return this.guarded(() => this.between(this.sql.beginRead, () => this.views.of(account).snapshot()));
  }

  async events(account: string, limit: number, after = 0): Promise<readonly StoredEvent[]> {
    return this.guarded(() => this.sql.events.all(account, after, limit).map(readEvent));
  }

  async eventsAbout(account: string, about: About, limit: number): Promise<readonly StoredEvent[]> {
    return this.guarded(() => this.sql.eventsAbout.all(account, ...namings(about), limit).map(readEvent));
  }

  async putStretch(account: string, row: Stretch, keepSince: number): Promise<void> {
    await this.transaction(() => {
      this.sql.putStretch.run(account, row.at, row.until, JSON.stringify(row));
      this.sql.forgetStretches.run(account, keepSince);
      this.stamp();
    });
  }

  async stretches(account: string, since: number): Promise<readonly Stretch[]> {
    return this.guarded(() => this.sql.stretches.all(account, since).map((row) => read("stretch", row)));
  }

  async putSamples(account: string, rows: readonly Sample[], from: number, to: number): Promise<void> {
    await this.transaction(() => {
      this.sql.forgetSamples.run(account, from, to);
      for (const row of rows) this.sql.putSample.run(account, row.at, row.until, JSON.stringify(row));
      this.stamp();
    });
  }

  async samples(account: string, from: number, to: number): Promise<readonly Sample[]> {
    return this.guarded(() => this.sql.samples.all(account, from, to).map((row) => read("sample", row)));
  }

  async putMarket(account: string, row: Market): Promise<void> {
    await this.transaction(() => {
      this.sql.forgetMarkets.run(account, row.at);
      this.sql.putMarket.run(account, row.at, row.until, JSON.stringify(row));
      this.stamp();
    });
  }

  async market(account: string): Promise<Market | undefined> {
    return this.guarded(() => {
      const stored = this.sql.market.get(account);
      return stored && read("market", stored);
    });
  }

  async onWake(account: string, wake: () => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.sleepers.add(account, wake, signal, () => {
      if (this.sleepers.accounts.length === 0) this.sleep();
    });
    this.look();
    this.looking ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  private look(): void {
    try {
      for (const account of this.sleepers.accounts)
        this.sleepers.look(account, Number(this.sql.wakes.get(account)?.wakes ?? 0));
    } catch {
      // Locked for now: the next look finds it.
    }
  }

  private sleep(): void {
    clearInterval(this.looking);
    this.looking = undefined;
  }

  close(): void {
    this.sleep();
    // Closing moves the WAL into the file, and so changes it, maybe long after the last write. It may be the WAL of
    // an agent that was killed an hour ago: whoever copies the file, or puts a backup in its place, needs it moved.
    const moves = this.file !== undefined && hasWal(this.file) && this.overwritten === undefined;
    if (this.wrote || moves) this.stampQuietly();
    this.db.close();
    this.closed();
  }

  /** Stores a change, and returns the row as it would be read again. `version`: what it is marked with. */
  private apply(account: string, change: Change, version: number): unknown {
    if (change.table === "archived") return this.archive(account, change, version);
    const json = JSON.stringify(change.table === "forgotten" ? change.intents : change.row);
    switch (change.table) {
      case "account":
        this.putAccount(change.row, json);
        break;
      case "intent":
        this.putIntent(account, change.row, json, version);
        break;
      case "deployment":
        this.sql.putDeployment.run(account, change.row.id, change.row.claim, change.row.end, json, version);
        break;
      case "slot":
        this.owned(this.sql.putSlot.run(change.row.id, account, json, version), `slot ${change.row.id}`);
        break;
      case "fleet":
        this.owned(
          this.sql.putFleet.run(change.row.name, account, json, version),
          `fleet ${change.row.name}`,
        );
        break;
      case "cooldown":
        this.sql.putCooldown.run(account, combinationKey(change.row), json, version);
        break;
      case "event":
        this.sql.putEvent.run(account, change.row.at, json);
        break;
      case "forgotten":
        this.sql.forgetIntents.run(account, json);
        if (change.events) this.sql.forgetEvents.run(account, json);
        break;
      default:
        unhandled(change);
    }
    return change.table === "forgotten" || change.table === "event"
      ? undefined
      : read(change.table, { row: json });
  }

  private archive(account: string, change: ArchiveChange, version: number): undefined {
    const { id, intent, archived } = change;
    this.sql.archiveDeployment.run(archived && JSON.stringify(archived), version, account, id);
    if (intent !== null) this.sql.archiveIntent.run(archived && "", version, account, intent);
  }

  private putIntent(account: string, { id, group, state }: IntentRow, json: string, version: number): void {
    if (Number(this.sql.keepIntent.run(json, version, id, account, group, state).changes) === 1) return;
    this.owned(this.sql.putIntent.run(id, account, group, state, json, version), `launch ${id}`);
  }

  /** A name belongs to one account for good: under a second key it would rent everything again. */
  private owned({ changes }: { changes: number | bigint }, what: string): void {
    if (Number(changes) === 1) return;
    throw new FleetkeeperError(
      "WRONG_ACCOUNT",
      `${what} belongs to another account in the ledger ${this.location}. Use the key it was made with.`,
    );
  }

  /** IMMEDIATE takes the write lock before reading: what a decision read is still true when it is stored. */
  private async transaction<T>(work: () => T): Promise<T> {
    for (let left = TRIES; ; left--) {
      let begun = false;
      try {
        return this.guarded(() => {
          this.checkPlace();
          return this.between(this.sql.begin, () => {
            begun = true;
            this.checkVersion();
            this.markRestored();
            return work();
          });
        });
      } catch (error) {
        // Only the lock is waited for, so nothing is done twice.
        if (begun || !isLedgerBusy(error) || left === 0) throw error;
      }
      await sleep(BETWEEN_TRIES_MS);
    }
  }

  private newestWrite(): unknown {
    return this.sql.written.get(Date.now() + RESTORED_MS)?.written;
  }

  private putAccount({ key, baseUrl, accountId }: AccountRow, json: string): void {
    this.sql.putAccount.run(key, baseUrl, accountId, Date.now(), json);
    this.wrote = true;
  }

  /** Does what `stamp` does, and gives the ledger the version that this transaction's rows are marked with. */
  private raise(): number {
    const { version } = this.sql.raise.get(Date.now()) ?? {};
    this.wrote = true;
    return Number(version);
  }

  /** By this computer's clock, which also stamps its files. */
  private stamp(): void {
    this.sql.stamp.run(Date.now());
    this.wrote = true;
  }

  /** If this fails, the next start takes two lists before it launches. That is no reason to fail now. */
  private stampQuietly(): void {
    try {
      this.stamp();
    } catch {
      // A full disk, a lock, or a file that is gone.
    }
  }

  /** Runs before any decision: each account of a restored file takes two full lists before it launches. */
  private markRestored(): void {
    // Else it is marked already, by another process or an earlier transaction. A rolled-back one has marked nothing.
    const wasClosed = this.overwritten !== undefined && this.newestWrite() === this.overwritten;
    if (!wasClosed && !this.views.sawLater()) return;
    for (const stored of this.sql.accounts.all()) {
      const { watched: _, ...row } = read("account", stored);
      const marked: AccountRow = { ...row, restored: { first: null } };
      this.putAccount(marked, JSON.stringify(marked));
    }
    this.views.outdate(Date.now());
    this.stamp();
  }

  private between<T>(begin: StatementSync, work: () => T): T {
    const { wrote } = this;
    begin.run();
    try {
      const result = work();
      this.sql.commit.run();
      return result;
    } catch (error) {
      // They have taken what is stored nowhere.
      this.views.clear();
      // A stamp at close would hide that the file was restored.
      this.wrote = wrote;
      if (this.db.isTransaction) this.db.exec("ROLLBACK");
      throw error;
    }
  }

  /** Throws LEDGER where a newer program has changed the ledger since it was opened here. */
  private checkVersion(): void {
    const dataVersion = this.sql.dataVersion.get()?.data_version;
    if (dataVersion === this.checked) return;
    check(this.db, this.location);
    this.checked = dataVersion;
  }

  /** Nobody reads a moved or deleted file: the next process would rent everything again. */
  private checkPlace(): void {
    if (this.file === undefined || identityOf(this.file) === this.identity) return;
    throw new FleetkeeperError(
      "LEDGER",
      `${this.location}: the ledger file was moved, deleted or replaced while it was in use. Put it back, or restart.`,
    );
  }

  private guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw asLedgerError(error, this.location);
    }
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
