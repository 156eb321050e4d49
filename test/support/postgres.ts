import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { onTestFinished } from "vitest";
import type { History } from "../../ledger/chart-history.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PostgresLedgerOptions } from "../../ledger/postgres/postgres-ledger.ts";
import { openPostgresLedger } from "../../ledger/postgres/postgres-ledger.ts";

/** A PostgreSQL server for tests. It ends with the process that started it. */
export class PostgresServer {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #databases = 0;
  #hasEnded = false;

  private constructor(child: ChildProcess, port: number, answers: AsyncIterator<string>) {
    this.#process = child;
    this.port = port;
    this.#answers = answers;
  }

  static async start(): Promise<PostgresServer> {
    const script = new URL("./postgres-server.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value } = await answers.next();
    if (value === undefined) throw new Error(`no PostgreSQL server: ${said}`);
    // It holds no worker of the tests back.
    child.unref();
    for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
    return new PostgresServer(child, Number(value), answers);
  }

  /** The server dies at once, as by kill -9. */
  kill(): Promise<void> {
    return this.#tell("kill");
  }

  /** Starts it again after that. */
  restart(): Promise<void> {
    return this.#tell("start");
  }

  /** From now on it takes encrypted connections, too. */
  async encrypt(key: string, certificate: string): Promise<void> {
    const [{ folder } = {}] = await this.sql("SELECT current_setting('data_directory') AS folder");
    const { uid, gid } = statSync(String(folder));
    for (const [name, content] of Object.entries({ "server.key": key, "server.crt": certificate })) {
      writeFileSync(join(String(folder), name), content, { mode: 0o600 });
      chownSync(join(String(folder), name), uid, gid);
    }
    await this.sql("ALTER SYSTEM SET ssl = on");
    await this.sql("SELECT pg_reload_conf()");
    while ((await this.sql("SHOW ssl"))[0]?.ssl !== "on") await sleep(10);
  }

  /** Ends the server, and the process that keeps it. */
  end(): Promise<void> {
    this.#hasEnded = true;
    const ended = new Promise<void>((resolve) => this.#process.once("exit", () => resolve()));
    this.#process.stdin?.end();
    return ended;
  }

  /** A new database that goes with the test. */
  async database(): Promise<Database> {
    this.#databases += 1;
    const name = `test${process.pid}_${this.#databases}`;
    await this.sql(`CREATE DATABASE ${name}`);
    onTestFinished(async () => {
      if (!this.#hasEnded) await this.sql(`DROP DATABASE ${name} WITH (FORCE)`);
    });
    return new Database(this, name);
  }

  async sql(text: string, database = "postgres"): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ host: "127.0.0.1", port: this.port, user: "postgres", database });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const results = [await client.query(text)].flat();
      return results.at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  async #tell(what: string): Promise<void> {
    this.#process.stdin?.write(`${what}\n`);
    const { done } = await this.#answers.next();
    if (done) throw new Error(`the PostgreSQL server did not ${what}`);
  }
}

/** An empty database of a server. */
export class Database {
  readonly url: string;
  readonly name: string;
  readonly #server: PostgresServer;

  constructor(server: PostgresServer, name: string) {
    this.#server = server;
    this.name = name;
    this.url = this.urlAt(server.port);
  }

  /** The same database through another port, such as a proxy's. */
  urlAt(port: number): string {
    return `postgres://postgres@127.0.0.1:${port}/${this.name}`;
  }

  /** Opens the ledger, and closes it with the test. */
  async ledger(options: Partial<PostgresLedgerOptions> = {}): Promise<Ledger & History> {
    const ledger = await openPostgresLedger({ url: this.url, newId: ids(), now: 1, ...options });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  /** Waits until this finds a row. */
  async until(query: string): Promise<void> {
    while ((await this.sql(query)).length === 0) await sleep(10);
  }

  /** The rows of the last statement. */
  sql(text: string): Promise<readonly Record<string, unknown>[]> {
    return this.#server.sql(text, this.name);
  }
}

let made = 0;

/** Ids that no other process of a test makes. */
function ids(): () => string {
  return () => {
    made += 1;
    return `${process.pid.toString(36)}x${made.toString(36)}`.padStart(16, "0");
  };
}

let shared: Promise<PostgresServer> | undefined;

/**
 * The server that the tests of one worker share. Undefined if none can be had here: then its tests are skipped
 * by name. In CI that is a failure.
 */
export async function sharedServer(): Promise<PostgresServer | undefined> {
  shared ??= PostgresServer.start();
  try {
    return await shared;
  } catch (error) {
    if (process.env.CI) throw error;
    return undefined;
  }
}
