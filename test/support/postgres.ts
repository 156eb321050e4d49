import { execFileSync } from "node:child_process";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { History } from "../../ledger/chart-history.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PostgresLedgerOptions } from "../../ledger/postgres/postgres-ledger.ts";
import { openPostgresLedger } from "../../ledger/postgres/postgres-ledger.ts";
import { PostgresServer } from "../../proof/postgres/server.ts";

/** Its databases go with the test that made them. */
export class TestServer extends PostgresServer {
  /** `under` and `words`: see {@link PostgresServer.launch}. */
  static override async start(
    under: readonly string[] = [],
    words: readonly string[] = [],
  ): Promise<TestServer> {
    return new TestServer(await PostgresServer.launch(under, words));
  }

  /** A new database that goes with the test. */
  async database(options?: string): Promise<Database> {
    const name = await this.create(options);
    onTestFinished(() => this.drop(name));
    return new Database(this, name);
  }

  /** Where its files are. */
  async folder(): Promise<string> {
    const [{ folder } = {}] = await this.sql("SELECT current_setting('data_directory') AS folder");
    return String(folder);
  }

  /** It is away for a moment, in which its files are copied. Returns where they are. */
  async copied(): Promise<string> {
    const folder = await this.folder();
    const copy = `${folder}-standby`;
    await this.kill();
    execFileSync("cp", ["-a", folder, copy]);
    await this.restart();
    return copy;
  }

  /** A hot standby that streams from it, through this port of a proxy. Nobody waits for what it has not got. */
  async standby(through: number): Promise<TestServer> {
    return TestServer.start([], ["--copy", await this.copied(), "--primary", `${through}`]);
  }

  /** It comes back as a hot standby of nobody: it can be read, and is not promoted yet. */
  async comesBackAsStandby(): Promise<void> {
    const folder = await this.folder();
    const { uid, gid } = statSync(folder);
    await this.kill();
    writeFileSync(join(folder, "standby.signal"), "");
    chownSync(join(folder, "standby.signal"), uid, gid);
    await this.restart();
  }

  /** From now on it takes encrypted connections, too. */
  async encrypt(key: string, certificate: string): Promise<void> {
    const folder = await this.folder();
    const { uid, gid } = statSync(folder);
    for (const [name, content] of Object.entries({ "server.key": key, "server.crt": certificate })) {
      writeFileSync(join(folder, name), content, { mode: 0o600 });
      chownSync(join(folder, name), uid, gid);
    }
    await this.sql("ALTER SYSTEM SET ssl = on");
    await this.sql("SELECT pg_reload_conf()");
    while ((await this.sql("SHOW ssl"))[0]?.ssl !== "on") await sleep(10);
  }
}

/** An empty database of a server. */
export class Database {
  readonly url: string;
  readonly name: string;
  readonly #server: TestServer;

  constructor(server: TestServer, name: string) {
    this.#server = server;
    this.name = name;
    this.url = this.urlAt(server.port);
  }

  /** This database through another port, such as a proxy's. */
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

let shared: Promise<TestServer> | undefined;

/**
 * The server that the tests of one worker share. Undefined if none can be had here: then its tests are skipped
 * by name. In CI that is a failure.
 */
export async function sharedServer(): Promise<TestServer | undefined> {
  shared ??= TestServer.start();
  try {
    return await shared;
  } catch (error) {
    if (process.env.CI) throw error;
    return undefined;
  }
}
