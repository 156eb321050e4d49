import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Database, sharedServer } from "../../support/postgres.ts";
import { ANNE } from "../contract.ts";
import { leaseContract } from "../lease-contract.ts";

const server = await sharedServer();

const open = async (database: Database) => ({
  ledger: await database.ledger(),
  expire: async () => {
    await database.sql("UPDATE fleetkeeper.lease SET expires = now() - interval '1 ms'");
  },
  restore: async ({ holder, term }: { holder: string; term: number }) => {
    await database.sql(`UPDATE fleetkeeper.lease SET holder = '${holder}', term = ${term}`);
  },
});

describe.skipIf(!server)("PostgreSQL", () => {
  leaseContract("leases in PostgreSQL", async () => open(await server!.database()));

  async function opened() {
    const database = await server!.database();
    const on = await open(database);
    const account = await on.ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    return { ...on, database, account, leases: on.ledger.leases! };
  }

  it("a term is later than any before, also if the ledger was restored and nobody has seen its terms", async () => {
    const { leases, account, database } = await opened();
    const lost = (await leases.take(account, "one", 60_000, 0))!;
    await sleep(2);
    await database.sql("TRUNCATE fleetkeeper.lease");
    expect((await leases.take(account, "two", 60_000, 0))!.term).toBeGreaterThan(lost.term);
    // And if the database's clock was set back, whoever has seen the term gets a later one.
    const ahead = Date.now() + 86_400_000;
    await database.sql(`UPDATE fleetkeeper.lease SET holder = NULL, term = ${lost.term}`);
    expect((await leases.take(account, "two", 60_000, ahead))!.term).toBeGreaterThan(ahead);
  });

  it("a lease is over by the database's clock", async () => {
    const { leases, account } = await opened();
    await leases.take(account, "one", 300, 0);
    expect(await leases.take(account, "two", 60_000, 0)).toBeUndefined();
    await sleep(300);
    expect(await leases.take(account, "two", 60_000, 0)).toMatchObject({ holder: "two" });
  });

  it("nobody takes the lease in the middle of a decision under the old term", async () => {
    const { leases, account, database, expire } = await opened();
    await leases.take(account, "one", 60_000, 0);
    await expire();
    // What a decision does: it has the account's lock until it is stored.
    const deciding = database.sql(
      `BEGIN; SELECT FROM fleetkeeper.account FOR NO KEY UPDATE; SELECT pg_sleep(0.5);
       SELECT holder FROM fleetkeeper.lease`,
    );
    await database.until(
      "SELECT FROM pg_stat_activity WHERE query LIKE 'BEGIN; SELECT FROM%' AND wait_event = 'PgSleep'",
    );
    const taken = leases.take(account, "two", 60_000, 0);
    expect(await deciding).toEqual([{ holder: "one" }]);
    expect(await taken).toMatchObject({ holder: "two" });
  });

  it("a renewal waits for no decision, and has no view loaded again", async () => {
    const { leases, account, ledger, database } = await opened();
    const lease = (await leases.take(account, "one", 60_000, 0))!;
    const held = database.sql(
      "BEGIN; SELECT FROM fleetkeeper.account FOR NO KEY UPDATE; SELECT pg_sleep(1); COMMIT",
    );
    await database.until(
      "SELECT FROM pg_stat_activity WHERE query LIKE 'BEGIN; SELECT FROM%' AND wait_event = 'PgSleep'",
    );
    let isOver = false;
    void held.then(() => {
      isOver = true;
    });
    expect(await leases.renew([lease], 60_000)).toEqual([lease]);
    expect(isOver).toBe(false);
    await held;
    await ledger.decide(account, (draft) => draft.putAccount({ ...draft.account, sequence: 1 }));
    const version = async () => (await database.sql("SELECT version, decision FROM fleetkeeper.account"))[0];
    const before = await version();
    await leases.renew([lease], 60_000);
    expect(await version()).toEqual(before);
  });
});
