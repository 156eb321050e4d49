import { setTimeout as sleep } from "node:timers/promises";
import type { PoolClient, QueryResult, QueryResultRow } from "pg";
import { Pool } from "pg";
import { FleetkeeperError } from "../../service/errors.ts";
import type { LedgerTime, Shown } from "../ledger-time.ts";
import type { Address } from "./address.ts";
import { asLedgerError, isAnswer, mayBeStored, RepeatableError } from "./trouble.ts";

/** In milliseconds. */
export interface Times {
  /** How long a transaction waits for another one's lock, which is held for milliseconds. */
  readonly lock: number;
  /** How long one statement may take; the longest loads all rows of an account. */
  readonly statement: number;
  /** How long a transaction may stand still before the server ends it: its process was stopped, or is gone. */
  readonly idle: number;
  /** How long a connection may take. */
  readonly connect: number;
  /** How long work is repeated that met a conflict, or a server that is away. */
  readonly patience: number;
  /** How long the outcome of a commit is looked for: longer than `idle`, which is how long it may stay open. */
  readonly look: number;
}

export const BETWEEN_TRIES_MS = 100;

/** How many decisions of different accounts run at once. */
const CONNECTIONS = 8;
/** For what must not wait until those are free: a lease that is renewed too late is lost. */
const URGENT_CONNECTIONS = 4;
/** Then an urgent statement is asked again, on another connection. */
const URGENT_MS = 3_000;
/** A statement that the server would have ended by now was lost on the way. */
const LOST_AFTER_MS = 5_000;

/** What a transaction begins with. `snapshot`: it reads one state, without a lock. */
type Mode = "write" | "snapshot";

const ISOLATION: Readonly<Record<Mode, string>> = {
  // Not SERIALIZABLE: its snapshot may be older than the lock, and reads the past.
  write: "ISOLATION LEVEL READ COMMITTED, READ WRITE",
  snapshot: "ISOLATION LEVEL REPEATABLE READ, READ ONLY",
};

/**
 * Connections to one server. Nothing outlives a transaction in them, so that a pooler in transaction mode may
 * stand between: no setting of the session, no named statement, no lock of the session.
 */
export class Connections {
  readonly location: string;
  readonly #pool: Pool;
  readonly #urgent: Pool;
  readonly #settings: string;
  readonly #patience: number;
  readonly #time: LedgerTime;
  #isClosed = false;

  /** `time` learns from each transaction what the server's clock shows. */
  constructor(
    { location, host, port, database, user, password, tls }: Address,
    times: Times,
    time: LedgerTime,
  ) {
    this.location = location;
    this.#time = time;
    this.#settings = settingsOf(times);
    this.#patience = times.patience;
    const pool = (max: number, timeout: number): Pool => {
      const made = new Pool({
        ...{ host, port, database, user, ssl: tls },
        // A function, though it is known: else the library looks for one in the environment and in files.
        password: () => password ?? "",
        application_name: "fleetkeeper",
        max,
        connectionTimeoutMillis: times.connect,
        query_timeout: timeout,
        keepAlive: true,
        allowExitOnIdle: true,
      });
      // Without a listener the loss of an idle connection would end the process. The next user of it is told.
      made.on("error", () => undefined);
      made.on("connect", (client) => client.on("error", () => undefined));
      return made;
    };
    this.#pool = pool(CONNECTIONS, times.statement + LOST_AFTER_MS);
    this.#urgent = pool(URGENT_CONNECTIONS, URGENT_MS);
  }

  async begin(mode: Mode): Promise<Transaction> {
    this.#mustBeOpen();
    let client: PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw asLedgerError(error, this.location);
    }
    const transaction = new Transaction(client, this.location);
    const begin = `BEGIN ${ISOLATION[mode]}; ${this.#settings}; ${TIME}`;
    await transaction.holding(() => transaction.begin(begin, this.#time));
    return transaction;
  }

  /** One urgent statement that is a transaction by itself: no process can stop in the middle of it. */
  async one<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    this.#mustBeOpen();
    try {
      return (await this.#urgent.query<Row>(sql, [...values])).rows;
    } catch (error) {
      throw asLedgerError(error, this.location);
    }
  }

  /** One statement that only reads, in a transaction of its own. Rejects if it fails, and is not repeated. */
  async ask<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.#pool.query<Row>(sql, [...values])).rows;
  }

  /** One transaction of work that may be done twice. */
  run<T>(mode: Mode, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.again(async () => {
      const transaction = await this.begin(mode);
      const result = await transaction.holding(() => work(transaction));
      if ((await transaction.commit()) === "stored") return result;
      throw this.lost();
    });
  }

  /** Does it again while it fails by what may pass soon. */
  async again<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#patience;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof RepeatableError) || performance.now() > until) throw error;
      }
      // Not all at the same moment, who met in a conflict.
      await sleep(BETWEEN_TRIES_MS * Math.random());
    }
  }

  /** A transaction that was not stored, as its connection was lost. */
  lost(): RepeatableError {
    return new RepeatableError(
      "LEDGER_BUSY",
      `${this.location}: the connection was lost in a commit. Nothing is launched without it.`,
    );
  }

  /** Transactions under way come to their end. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // They reject only if they are called twice.
    void this.#pool.end();
    void this.#urgent.end();
  }

  #mustBeOpen(): void {
    if (this.#isClosed) throw new FleetkeeperError("LEDGER", `${this.location}: the ledger is closed.`);
  }
}

/** Asked before any lock is waited for: the time between question and answer is what is not known of the clock. */
const TIME = `SELECT 1000 * extract(epoch FROM clock_timestamp())::float8 AS time,
  extract(epoch FROM pg_postmaster_start_time())::text AS server`;

/**
 * SET LOCAL, so that they end with the transaction. A commit that is not on the server's disk would be no
 * commit; a stronger setting of the server's stays as it is.
 */
function settingsOf({ lock, statement, idle }: Times): string {
  return [
    `SET LOCAL lock_timeout = ${lock}`,
    `SET LOCAL statement_timeout = ${statement}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idle}`,
    "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'",
  ].join("; ");
}

/** One transaction on a connection of its own. Ended by `commit` or `abandon`, once. */
export class Transaction {
  readonly #client: PoolClient;
  readonly #location: string;
  #isLost = false;
  #server = "";

  constructor(client: PoolClient, location: string) {
    this.#client = client;
    this.#location = location;
  }

  /** Which server it is with, by when that was started. */
  get server(): string {
    return this.#server;
  }

  /** Its first statements. The last one says what the server's clock shows. */
  async begin(sql: string, time: LedgerTime): Promise<void> {
    const answered = time.ask();
    // Of several statements there is a result each.
    const results = (await this.#ask(sql)) as unknown as readonly QueryResult<Shown & QueryResultRow>[];
    const [shown] = results.at(-1)?.rows ?? [];
    if (!shown) throw new Error("BEGIN came without the time");
    this.#server = shown.server;
    answered(shown);
  }

  /** Throws LEDGER_BUSY for what may pass, else LEDGER. */
  async query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    return (await this.#ask<Row>(sql, values)).rows;
  }

  /** `unknown`: no answer came that says so or denies it. Throws if it surely was not stored. */
  async commit(): Promise<"stored" | "unknown"> {
    try {
      const { command } = await this.#ask("COMMIT");
      // An aborted transaction answers so, and without an error.
      if (command === "COMMIT") return "stored";
      throw new FleetkeeperError("LEDGER", `${this.#location}: the transaction was rolled back.`);
    } catch (error) {
      if (error instanceof FleetkeeperError && !mayBeStored(error.cause)) throw error;
      this.#isLost = true;
      return "unknown";
    } finally {
      this.#client.release(this.#isLost);
    }
  }

  /** Does part of it. If that fails, the transaction is over. */
  async holding<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.abandon();
      throw error;
    }
  }

  /** Ends it; nothing of it is stored. Throws nothing. */
  async abandon(): Promise<void> {
    if (!this.#isLost) await this.#ask("ROLLBACK").catch(() => undefined);
    this.#client.release(this.#isLost);
  }

  async #ask<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]) {
    try {
      return await this.#client.query<Row>(sql, values && [...values]);
    } catch (error) {
      if (!isAnswer(error)) this.#isLost = true;
      throw asLedgerError(error, this.#location);
    }
  }
}
