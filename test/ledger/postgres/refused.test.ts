import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Draft } from "../../../ledger/draft.ts";
import { LedgerTime } from "../../../ledger/ledger-time.ts";
import { readAddress } from "../../../ledger/postgres/address.ts";
import { Connections } from "../../../ledger/postgres/connections.ts";
import { openPostgresLedger } from "../../../ledger/postgres/postgres-ledger.ts";
import { intentAsFound } from "../../support/as-found.ts";
import { sharedServer } from "../../support/postgres.ts";
import { ANNE, intentOf } from "../contract.ts";
import { folder } from "../folder.ts";

const server = await sharedServer();

const QUICK = { patience: 100, look: 100, connect: 2_000 };
const TIMES = { lock: 100, statement: 300, idle: 300, connect: 2_000, patience: 100, look: 100 };
const account = { baseUrl: "https://a.example.com", account: ANNE };

function open(url: string, more: { times?: object } = {}) {
  return openPostgresLedger({ url, newId: () => "ledger0000000000", now: 1, times: QUICK, ...more });
}

async function errorOf(work: Promise<unknown>): Promise<Error & { code: string }> {
  try {
    await work;
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error("nothing was thrown");
}

describe.skipIf(!server)("a database that is no ledger for this program", () => {
  it.each([
    [
      "a stranger's schema of this name",
      "CREATE SCHEMA fleetkeeper CREATE TABLE book (x int)",
      /is no ledger/,
    ],
    [
      "a stranger's table of this name",
      "CREATE SCHEMA fleetkeeper CREATE TABLE ledger (id text, created int)",
      /is no ledger/,
    ],
  ])("is refused and not touched: %s", async (_what, sql, message) => {
    const database = await server!.database();
    await database.sql(sql);
    const things = "SELECT relname FROM pg_class WHERE relnamespace = 'fleetkeeper'::regnamespace ORDER BY 1";
    const before = await database.sql(things);
    expect(await errorOf(open(database.url))).toMatchObject({
      code: "LEDGER",
      message: expect.stringMatching(message),
    });
    expect(await database.sql(things)).toEqual(before);
  });

  it("is refused if only a newer program may use it, also by one that has it open, and used if that only added something", async () => {
    const database = await server!.database();
    const ledger = await database.ledger();
    const key = await ledger.openAccount(account);
    await database.sql(`CREATE TABLE fleetkeeper.tomorrow (what text); UPDATE fleetkeeper.ledger SET version = 99;
      ALTER TABLE fleetkeeper.intent ADD COLUMN colour text DEFAULT 'none'`);
    await ledger.decide(key, (draft) => intentAsFound(draft, intentOf("i1")));
    expect((await (await database.ledger()).read(key)).intents).toHaveLength(1);
    await database.sql("UPDATE fleetkeeper.ledger SET needs = 98");
    const another = (draft: Draft) => intentAsFound(draft, intentOf("i2", { group: "other" }));
    for (const refused of [
      () => open(database.url),
      () => ledger.read(key),
      () => ledger.openAccount(account),
      () => ledger.decide(key, another),
    ])
      expect(await errorOf(refused())).toMatchObject({
        code: "LEDGER",
        message: expect.stringMatching(/ledger version 98.*up to \d+/),
      });
    expect(await database.sql("SELECT id FROM fleetkeeper.intent")).toEqual([{ id: "i1" }]);
  });

  it("is made in an empty schema that its owner made for a role that may make none", async () => {
    const database = await server!.database();
    const role = `role_${database.name}`;
    await database.sql(`CREATE ROLE ${role} LOGIN; CREATE SCHEMA fleetkeeper AUTHORIZATION ${role}`);
    const ledger = await database.ledger({ url: database.url.replace("postgres@", `${role}@`) });
    const key = await ledger.openAccount(account);
    expect(await ledger.decide(key, (draft) => draft.account.key)).toBe(key);
    ledger.close();
    await database.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it.each([
    ["UPDATE fleetkeeper.intent SET row = 'null'", "in a row of the table intent, the row itself"],
    ["UPDATE fleetkeeper.intent SET row = '{'", "a row of the table intent cannot be read"],
    ["UPDATE fleetkeeper.account SET row = '{}'", "in a row of the table account, key"],
    ["DELETE FROM fleetkeeper.ledger", "it has lost its own id"],
  ])("is refused if it is damaged: %s", async (sql, message) => {
    const database = await server!.database();
    const ledger = await database.ledger();
    const key = await ledger.openAccount(account);
    await ledger.decide(key, (draft) => intentAsFound(draft, intentOf("i1")));
    await database.sql(sql);
    const read = open(database.url).then(async (fresh) => fresh.read(key).finally(() => fresh.close()));
    expect(await errorOf(read)).toMatchObject({ code: "LEDGER", message: expect.stringContaining(message) });
  });
});

describe.skipIf(!server)("the URL of a ledger in PostgreSQL", () => {
  it("is in no error, also not in what an error was caused by", async () => {
    const database = await server!.database();
    const role = `role_${database.name}`;
    await database.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'another'`);
    const at = (port: number, name: string) => `postgres://${role}:sesame@127.0.0.1:${port}/${name}`;
    const errors = [
      await errorOf(open(at(1, "fleets"))),
      await errorOf(open(at(server!.port, "nowhere"))),
      await errorOf(open(at(server!.port, database.name))),
      await errorOf(open(`postgres://me:sesame@nowhere.invalid/fleets?sslmode=disable`)),
      await errorOf(open(`postgres://me:sesame@127.0.0.1:${server!.port}/fleets?sslmode=require`)),
    ];
    const codes = ["LEDGER_BUSY", "LEDGER", "LEDGER", "LEDGER_BUSY", "LEDGER"];
    expect(errors.map(({ code }) => code)).toEqual(codes);
    expect(inspect(errors, { depth: 20, showHidden: true })).not.toMatch(/sesame/);
    await database.sql(`DROP ROLE ${role}`);
  });

  it("is not in the ledger either: it shows host, port and database", async () => {
    const database = await server!.database();
    const ledger = await database.ledger({ url: database.url.replace("postgres@", "postgres:sesame@") });
    expect(ledger.location).toBe(`postgres://127.0.0.1:${server!.port}/${database.name}`);
    await ledger.openAccount(account);
    const rows = await database.sql("SELECT query, application_name FROM pg_stat_activity");
    expect(JSON.stringify([rows, await ledger.accounts()])).not.toMatch(/sesame/);
    expect(inspect(ledger, { depth: 20, showHidden: true })).not.toMatch(/sesame/);
  });
});

describe.skipIf(!server)("a transaction in PostgreSQL", () => {
  it("that was aborted is not taken for stored: COMMIT answers ROLLBACK, without an error", async () => {
    const database = await server!.database();
    const connections = new Connections(readAddress(database.url), TIMES, new LedgerTime());
    const transaction = await connections.begin("write");
    await expect(transaction.query("SELECT 1 / 0")).rejects.toThrow(/division by zero/);
    await expect(transaction.commit()).rejects.toThrow(/rolled back/);
    connections.close();
  });

  it("waits for a lock, a statement and its process as long as it says", async () => {
    const database = await server!.database();
    // Only what is awaited is short: a busy machine may take its time for all else.
    const ledger = await database.ledger({ times: { ...TIMES, statement: 60_000, idle: 60_000 } });
    const key = await ledger.openAccount(account);
    const person = new Client({ connectionString: database.url });
    await person.connect();
    onTestFinished(() => person.end());
    await person.query("BEGIN; SELECT FROM fleetkeeper.account FOR UPDATE");
    expect(await errorOf(ledger.decide(key, () => 1))).toMatchObject({
      code: "LEDGER_BUSY",
      message: expect.stringMatching(/lock timeout/),
    });
    await person.query("ROLLBACK");
    expect(await ledger.decide(key, () => 1)).toBe(1);

    const times = { ...TIMES, statement: 1_000, idle: 1_000 };
    const connections = new Connections(readAddress(database.url), times, new LedgerTime());
    const slow = await connections.begin("write");
    await expect(slow.query("SELECT pg_sleep(60)")).rejects.toMatchObject({ code: "LEDGER_BUSY" });
    await slow.abandon();
    const stopped = await connections.begin("write");
    const [{ pid }] = (await stopped.query("SELECT pg_backend_pid() AS pid")) as [{ pid: number }];
    await database.until(`SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid = ${pid})`);
    await expect(stopped.query("SELECT 1")).rejects.toMatchObject({ code: "LEDGER_BUSY" });
    await stopped.abandon();
    connections.close();
  });

  it("is on the disk when it is stored, whatever the database's default is, unless that is stronger", async () => {
    const database = await server!.database();
    const setting = async (): Promise<unknown> => {
      const connections = new Connections(readAddress(database.url), TIMES, new LedgerTime());
      const transaction = await connections.begin("write");
      const [found] = await transaction.query<{ setting: string }>(
        "SELECT current_setting('synchronous_commit') AS setting",
      );
      await transaction.abandon();
      connections.close();
      return found?.setting;
    };
    await database.sql(`ALTER DATABASE ${database.name} SET synchronous_commit = off`);
    expect(await setting()).toBe("on");
    await database.sql(`ALTER DATABASE ${database.name} SET synchronous_commit = remote_apply`);
    expect(await setting()).toBe("remote_apply");
  });
});

describe.skipIf(!server)("the connection to PostgreSQL", () => {
  it("is encrypted, and its server verified, as the URL says", async () => {
    const database = await server!.database();
    const home = folder();
    const make = (name: string, subject: string): void => {
      execFileSync(
        "openssl",
        [
          ...[
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
          ],
          ...["-keyout", join(home, `${name}.key`), "-out", join(home, `${name}.crt`)],
          ...["-subj", `/CN=${subject}`, "-addext", `subjectAltName=DNS:${subject}`],
        ],
        { stdio: "ignore" },
      );
    };
    make("server", "localhost");
    make("other", "localhost");
    await server!.encrypt(
      readFileSync(join(home, "server.key"), "utf8"),
      readFileSync(join(home, "server.crt"), "utf8"),
    );
    const at = (host: string, more: string): string =>
      `postgres://postgres@${host}:${server!.port}/${database.name}?${more}`;
    const isEncrypted = async (url: string): Promise<unknown> => {
      const connections = new Connections(readAddress(url), { ...TIMES, idle: 5_000 }, new LedgerTime());
      try {
        const transaction = await connections.begin("snapshot");
        const [found] = await transaction.query<{ ssl: boolean }>(
          "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
        );
        await transaction.abandon();
        return found?.ssl;
      } catch (error) {
        return (error as { code: string }).code;
      } finally {
        connections.close();
      }
    };
    const root = `sslrootcert=${join(home, "server.crt")}`;
    const wrong = `sslrootcert=${join(home, "other.crt")}`;
    expect(await isEncrypted(at("localhost", "sslmode=disable"))).toBe(false);
    expect(await isEncrypted(at("localhost", "sslmode=require"))).toBe(true);
    expect(await isEncrypted(at("localhost", `sslmode=verify-full&${root}`))).toBe(true);
    expect(await isEncrypted(at("127.0.0.1", `sslmode=verify-ca&${root}`))).toBe(true);
    expect(await isEncrypted(at("127.0.0.1", `sslmode=verify-full&${root}`))).toBe("LEDGER");
    expect(await isEncrypted(at("localhost", `sslmode=verify-full&${wrong}`))).toBe("LEDGER");
    expect(await isEncrypted(at("localhost", `sslmode=verify-ca&${wrong}`))).toBe("LEDGER");
    expect(await isEncrypted(at("localhost", "sslmode=verify-full"))).toBe("LEDGER");
  });
});
