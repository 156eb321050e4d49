import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig, Pool, type PoolClient, type QueryResult, type QueryResultRow } from "pg";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { LedgerTime, Shown } from "../ledger-time.ts";
import type { Address } from "./address.ts";
import { Hosts } from "./hosts.ts";
import { PREPARED } from "./statements.ts";
import { asLedgerError, isAnswer, isElsewhere, mayBeStored, RepeatableError } from "./trouble.ts";

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
const SNAPSHOT_OF_A_WRITER = "ISOLATION LEVEL REPEATABLE READ, READ WRITE";

/**
 * Connections to one server, or to one of several hosts. Nothing outlives a transaction in them, so that a pooler in transaction mode may
 * stand between: no setting of the session, no lock of the session, and a named statement only where none does.
 */
export class Connections {
  readonly location: string;
  /** Where the next connection goes. */
  readonly hosts: Hosts;
  readonly #isolation: Readonly<Record<Mode, string>>;
  readonly #pool: Pool;
  readonly #urgent: Pool;
  readonly #settings: string;
  readonly #patience: number;
  readonly #time: LedgerTime;
  #isClosed = false;

  /** `time` learns from each transaction what the server's clock shows. */
  constructor(address: Address, times: Times, time: LedgerTime) {
    const { database, user, password, writes } = address;
    this.location = address.location;
    const hosts = new Hosts(address);
    this.hosts = hosts;
    // A standby refuses it.
    this.#isolation = writes ? { ...ISOLATION, snapshot: SNAPSHOT_OF_A_WRITER } : ISOLATION;
    this.#time = time;
    this.#settings = settingsOf(times);
    const connect = address.connectTimeout ?? times.connect;
    // Each host may take its time before the one that writes is reached.
    this.#patience = times.patience + connect * (address.hosts.length - 1);
    const pool = (max: number, timeout: number): Pool => {
      const made = new Pool({
        ...{ database, user, Client: clientOf(hosts) },
        // A function, though it is known: else the library looks for one in the environment and in files.
        password: () => password ?? "",
        application_name: "fleetkeeper",
        max,
        // Statements that need no earlier one's answer are sent together.
        pipeline: true,
        connectionTimeoutMillis: connect,
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
    return new Transaction(
      client,
      this.location,
      `BEGIN ${this.#isolation[mode]}; ${this.#settings}; ${TIME}`,
      this.#time,
    );
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

/**
 * Connects to the host that is asked now, which is left if that comes to nothing or if it does not write. Closes a
 * connection that came to nothing: the library leaves that to the server, which waits for a minute where it asked for a
 * password and none came; the process would wait with it.
 */
function clientOf(hosts: Hosts): typeof Client {
  return class extends Client {
    constructor(config?: ClientConfig) {
      const host = hosts.current;
      super({ ...config, ...host });
      let isGreeted = false;
      this.once("connect", () => {
        isGreeted = true;
      });
      this.once("end", () => {
        if (!isGreeted) hosts.leave(host);
      });
      this.connection.once("error", () => this.connection.stream.destroy());
      this.connection.on("errorMessage", (error: unknown) => {
        if (isElsewhere(error)) hosts.leave(host);
      });
    }
  };
}

/**
 * Asked before any lock is waited for: the time between question and answer is what is not known of the clock.
 * `pid`: which process of the server answers. Times are text: a database may say that its numbers have fewer digits.
 */
const TIME = `SELECT (1000 * extract(epoch FROM clock_timestamp())::numeric)::text AS time,
  extract(epoch FROM pg_postmaster_start_time())::text AS server, pg_backend_pid() AS pid`;

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

/**
 * Connections that are surely the server's own, since the process that answers is the one that greeted. Their
 * statements are planned once, which takes the server more time than most of them. A pooler greets with a number
 * of its own, and a statement that it has prepared may be on another connection the next time.
 */
const direct = new WeakSet<PoolClient>();

function isGreeter(client: PoolClient, pid: number): boolean {
  return (client as unknown as { readonly processID: number | null }).processID === pid;
}

interface Greeted extends QueryResultRow, Pick<Shown, "server"> {
  readonly time: string;
  readonly pid: number;
}

/** One transaction on a connection of its own. Ended by `commit` or `abandon`, once. */
export class Transaction {
  readonly #client: PoolClient;
  readonly #location: string;
  readonly #begun: Promise<unknown>;
  #isLost = false;
  #server = "";

  /** `beginning`: its first statements. The last one says what the server's clock shows. */
  constructor(client: PoolClient, location: string, beginning: string, time: LedgerTime) {
    this.#client = client;
    this.#location = location;
    this.#begun = this.#begin(beginning, time);
    // Whoever asks for something is told.
    this.#begun.catch(() => undefined);
  }

  /** Which server it is with, by when that was started. Known once a query was answered. */
  get server(): string {
    return this.#server;
  }

  /** Throws LEDGER_BUSY for what may pass, else LEDGER. */
  async query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    // Sent after a BEGIN that failed it would be a transaction of its own.
    await this.#begun;
    return (await this.#ask<Row>(sql, values)).rows;
  }

  /** {@link query} for a statement that changes nothing. It does not wait for the answer to BEGIN. */
  async look<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]> {
    const [begun, found] = await Promise.allSettled([this.#begun, this.#ask<Row>(sql, values)]);
    if (begun.status === "rejected") throw begun.reason;
    if (found.status === "rejected") throw found.reason;
    return found.value.rows;
  }

  async #begin(sql: string, time: LedgerTime): Promise<void> {
    const answered = time.ask();
    // Of several statements there is a result each.
    const results = (await this.#ask(sql)) as unknown as readonly QueryResult<Greeted>[];
    const [shown] = results.at(-1)?.rows ?? [];
    if (!shown) throw new Error("BEGIN came without the time");
    this.#server = shown.server;
    if (isGreeter(this.#client, shown.pid)) direct.add(this.#client);
    else direct.delete(this.#client);
    answered({ time: Number(shown.time), server: shown.server });
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
      const name = direct.has(this.#client) ? PREPARED.get(sql) : undefined;
      const query = {
        text: sql,
        ...(values && { values: [...values] }),
        ...(name !== undefined && { name }),
      };
      return await this.#client.query<Row>(query);
    } catch (error) {
      if (!isAnswer(error)) this.#isLost = true;
      throw asLedgerError(error, this.#location);
    }
  }
}
