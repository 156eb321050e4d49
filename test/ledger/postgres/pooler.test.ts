import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { sharedServer } from "../../support/postgres.ts";
import { TransactionPooler } from "../../support/transaction-pooler.ts";
import { ANNE, ledgerContract } from "../contract.ts";

const server = await sharedServer();

describe.skipIf(!server)("PostgreSQL behind a pooler in transaction mode", () => {
  ledgerContract("a ledger", async () => {
    const database = await server!.database();
    const { port } = await TransactionPooler.before(server!.port);
    return database.ledger({ url: database.urlAt(port) });
  });

  it("is decided into by five processes at once, and counts right", async () => {
    const database = await server!.database();
    const { port } = await TransactionPooler.before(server!.port);
    const ledgers = await Promise.all(
      Array.from({ length: 5 }, () => database.ledger({ url: database.urlAt(port) })),
    );
    const [key] = await Promise.all(
      ledgers.map((ledger) => ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE })),
    );
    await Promise.all(
      ledgers.map(async (ledger) => {
        for (let count = 0; count < 10; count++)
          await ledger.decide(key!, (draft) =>
            draft.putAccount({ ...draft.account, sequence: draft.account.sequence + 1 }),
          );
      }),
    );
    expect(await ledgers[0]!.accounts()).toMatchObject([{ sequence: 50 }]);
  });

  it("finds the connections as they were: no setting, statement or lock of the session is left there", async () => {
    const database = await server!.database();
    const { port } = await TransactionPooler.before(server!.port);
    const ledger = await database.ledger({ url: database.urlAt(port) });
    const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    for (let count = 0; count < 4; count++)
      await ledger.decide(key, (draft) => draft.putAccount({ ...draft.account, sequence: count }));
    const next = new Client({ connectionString: database.urlAt(port), application_name: "fleetkeeper" });
    await next.connect();
    const left = `SELECT name FROM pg_settings WHERE source = 'session'
      UNION ALL SELECT name FROM pg_prepared_statements
      UNION ALL SELECT locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype IN ('advisory', 'tuple')`;
    for (let count = 0; count < 4; count++) expect((await next.query(left)).rows).toEqual([]);
    await next.end();
    const [{ count } = {}] = await database.sql(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fleetkeeper'",
    );
    // They are the ledger's own.
    expect(count).toBe(2);
  });

  it("control: what belongs to a session is lost there, and a timeout is refused as a parameter", async () => {
    const database = await server!.database();
    const { port } = await TransactionPooler.before(server!.port);
    const client = new Client({ connectionString: database.urlAt(port) });
    client.on("error", () => undefined);
    await client.connect();
    await client.query("SET lock_timeout = '7s'");
    const settings = new Set<string>();
    for (let count = 0; count < 4; count++)
      settings.add((await client.query<{ lock_timeout: string }>("SHOW lock_timeout")).rows[0]!.lock_timeout);
    expect(settings).toEqual(new Set(["7s", "0"]));
    await client.end();
    const strict = new Client({ connectionString: database.urlAt(port), statement_timeout: 1_000 });
    strict.on("error", () => undefined);
    await expect(strict.connect()).rejects.toThrow();
  });
});
