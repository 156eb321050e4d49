import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Database, sharedServer } from "../../support/postgres.ts";
import { ANNE } from "../contract.ts";
import { leaseContract } from "../lease-contract.ts";

const server = await sharedServer();
const OVER = "SELECT FROM fleetkeeper.lease WHERE expires < now()";

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
    const { leases, account, database } = await opened();
    // That nobody takes it before, the contract says: of a lease that does not run out while a busy machine looks.
    await leases.take(account, "one", 300, 0);
    await database.until(OVER);
    expect(await leases.take(account, "two", 60_000, 0)).toMatchObject({ holder: "two" });
  });

  it("a lease from before the database's clock was set back is cut: whoever holds it has time to renew it", async () => {
    const { leases, account, database } = await opened();
    const held = (await leases.take(account, "one", 60_000, 0))!;
    const state = async () => (await leases.look([account])).get(account);
    const setBack = "UPDATE fleetkeeper.lease SET expires = expires + interval '1 hour'";
    await database.sql(setBack);
    expect(await state()).toMatchObject({ holder: "one", isFree: true });
    expect(await leases.take(account, "two", 30_000, 0)).toBeUndefined();
    expect(await state()).toMatchObject({ holder: "one", isFree: false });
    expect((await leases.renew([held], 60_000)).renewed).toEqual([held]);
    // And of one that is dead it is over.
    await database.sql(setBack);
    expect(await leases.take(account, "two", 300, 0)).toBeUndefined();
    await database.until(OVER);
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

  it("a lease that somebody locks is passed over by a renewal, and the others are renewed", async () => {
    const { leases, account, ledger, database } = await opened();
    const bob = await ledger.openAccount({
      baseUrl: "https://a.example.com",
      account: { ...ANNE, id: "bob" },
    });
    const both = [
      (await leases.take(account, "one", 60_000, 0))!,
      (await leases.take(bob, "one", 60_000, 0))!,
    ];
    const locked = new Client({ connectionString: database.url });
    await locked.connect();
    onTestFinished(() => locked.end());
    await locked.query("BEGIN");
    await locked.query("SELECT FROM fleetkeeper.lease WHERE account = $1 FOR SHARE", [account]);
    expect(await leases.renew(both, 60_000)).toEqual({ renewed: [both[1]], lost: [] });
    await locked.query("ROLLBACK");
    expect(await leases.renew(both, 60_000)).toEqual({ renewed: both, lost: [] });
  });

  it("who waits too long for an account's lock waits no longer on the server either", async () => {
    const { leases, account, database } = await opened();
    const locked = new Client({ connectionString: database.url });
    await locked.connect();
    onTestFinished(() => locked.end());
    await locked.query("BEGIN; SELECT FROM fleetkeeper.account FOR NO KEY UPDATE");
    await expect(leases.take(account, "one", 60_000, 0)).rejects.toMatchObject({ code: "LEDGER_BUSY" });
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    expect(await database.sql(waiting)).toEqual([]);
    await locked.query("ROLLBACK");
    expect(await leases.take(account, "one", 60_000, 0)).toMatchObject({ holder: "one" });
  });

  it("another process is woken when a lease is given back, and by nothing that only wakes", async () => {
    const { leases, account, ledger, database } = await opened();
    const other = await database.ledger();
    let woken = Promise.withResolvers<void>();
    const over = new AbortController();
    onTestFinished(() => over.abort());
    other.leases!.onGivenBack(() => woken.resolve(), over.signal);
    // It hears now: something may have been given back before.
    await woken.promise;
    woken = Promise.withResolvers();
    const lease = (await leases.take(account, "one", 60_000, 0))!;
    const heard: string[] = [];
    void woken.promise.then(() => heard.push("woken"));
    const listens = new Client({ connectionString: database.url });
    await listens.connect();
    onTestFinished(() => listens.end());
    const told = Promise.withResolvers<void>();
    listens.on("notification", ({ payload }) => {
      if (payload === "") told.resolve();
    });
    await listens.query("LISTEN fleetkeeper");
    await ledger.decide(account, (draft) => draft.putAccount({ ...draft.account, wakes: 1 }));
    await told.promise;
    await leases.giveBack({ ...lease, term: 1 });
    expect(heard).toEqual([]);
    await leases.giveBack(lease);
    await woken.promise;
  });

  it("a renewal waits for no decision, and has no view loaded again", async () => {
    const { leases, account, ledger, database } = await opened();
    const lease = (await leases.take(account, "one", 60_000, 0))!;
    const deciding = new Client({ connectionString: database.url });
    await deciding.connect();
    onTestFinished(() => deciding.end());
    await deciding.query("BEGIN; SELECT FROM fleetkeeper.account FOR NO KEY UPDATE");
    expect(await leases.renew([lease], 60_000)).toEqual({ renewed: [lease], lost: [] });
    await deciding.query("COMMIT");
    await ledger.decide(account, (draft) => draft.putAccount({ ...draft.account, sequence: 1 }));
    const version = async () => (await database.sql("SELECT version, decision FROM fleetkeeper.account"))[0];
    const before = await version();
    await leases.renew([lease], 60_000);
    expect(await version()).toEqual(before);
  });
});
