import { describe, expect, it } from "vitest";
import { waking } from "../../../launch/mark-wake.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { WakingTimes } from "../../../ledger/postgres/waker.ts";
import { CuttingProxy } from "../../support/cutting-proxy.ts";
import type { Database } from "../../support/postgres.ts";
import { sharedServer, TestServer } from "../../support/postgres.ts";
import { TransactionPooler } from "../../support/transaction-pooler.ts";
import { ANNE } from "../contract.ts";
import { change, sleeper, wakeContract } from "../wake-contract.ts";

const server = await sharedServer();

const NEVER_MS = 3_600_000;
/** Who cannot hear is never woken. */
const HEARING: WakingTimes = {
  ...{ answer: 2_000, check: 20, retry: 20 },
  look: { hearing: NEVER_MS, deaf: NEVER_MS },
};
/** Who can hear, and does not notice that they cannot any more, is never woken. */
const LOOKING: WakingTimes = { ...HEARING, look: { hearing: NEVER_MS, deaf: 50 } };

/** Connections on which something listens now: that is the newest that they said. */
const LISTENING = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'idle' AND query LIKE '%pg_notify($1, $2)%'`;

async function woken(ledger: Ledger, times = 1): Promise<{ readonly wakes: number }> {
  const account = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  const on = await sleeper(ledger, account);
  for (let count = 1; count <= times; count++) {
    await ledger.decide(account, waking(change));
    await expect.poll(() => on.wakes).toBe(count);
  }
  return on;
}

const listeningAt = (database: Database, port: number): string => `${database.url}?listen=127.0.0.1:${port}`;

describe.skipIf(!server)("PostgreSQL", () => {
  wakeContract("who waits in PostgreSQL", async () => {
    const database = await server!.database();
    return () => database.ledger();
  });

  wakeContract("who waits in PostgreSQL behind a pooler in transaction mode", async () => {
    const database = await server!.database();
    const { port } = await TransactionPooler.before(server!.port);
    return () => database.ledger({ url: database.urlAt(port) });
  });

  it("tells at once: nobody looks from time to time", async () => {
    await woken(await (await server!.database()).ledger({ waking: HEARING }), 3);
  });

  it("tells at once, too, if the URL names a pooler, and the server itself to listen at", async () => {
    const database = await server!.database();
    const { port } = await TransactionPooler.before(server!.port);
    const url = `${database.urlAt(port)}?listen=127.0.0.1:${server!.port}`;
    await woken(await database.ledger({ url, waking: HEARING }), 3);
  });

  it("is listened to on no connection of a pooler", async () => {
    const database = await server!.database();
    const { port } = await TransactionPooler.before(server!.port);
    const ledger = await database.ledger({ url: database.urlAt(port), waking: LOOKING });
    await woken(ledger, 3);
    const said = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query ~ '^LISTEN'";
    expect(await database.sql(said)).toEqual([]);
    expect(await database.sql(LISTENING)).toEqual([]);
  });
});

describe.skipIf(!server)("who listens to PostgreSQL on a connection that is lost", () => {
  it.each([
    ["is cut", (proxy: CuttingProxy) => proxy.cutAll()],
    ["says nothing any more", (proxy: CuttingProxy) => (proxy.isSilent = true)],
  ])("looks by itself while it %s", async (_how, lose) => {
    const database = await server!.database();
    const proxy = await CuttingProxy.before(server!.port);
    const waking = { ...LOOKING, answer: 200 };
    const ledger = await database.ledger({ url: listeningAt(database, proxy.port), waking });
    await woken(ledger);
    await database.until(LISTENING);
    proxy.isDown = true;
    lose(proxy);
    await woken(ledger, 3);
  });

  it("hears again on another one", async () => {
    const database = await server!.database();
    const proxy = await CuttingProxy.before(server!.port);
    const ledger = await database.ledger({ url: listeningAt(database, proxy.port), waking: HEARING });
    await woken(ledger, 2);
    const [{ pid } = {}] = await database.sql(LISTENING);
    proxy.cutAll();
    await database.until(`${LISTENING} AND pid <> ${pid}`);
    await woken(ledger, 3);
  });
});

describe("who listens to a server that is killed, and started again", () => {
  it.skipIf(!server)("hears again", async () => {
    const own = await TestServer.start();
    try {
      const database = await own.database();
      const ledger = await database.ledger({ waking: HEARING });
      await woken(ledger, 2);
      await own.kill();
      await own.restart();
      await database.until(LISTENING);
      await woken(ledger, 3);
      ledger.close();
    } finally {
      await own.end();
    }
  });
});
