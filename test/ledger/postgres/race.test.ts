import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { Draft } from "../../../ledger/draft.ts";
import { CuttingProxy } from "../../support/cutting-proxy.ts";
import { type Database, sharedServer, TestServer } from "../../support/postgres.ts";
import { ANNE, AT } from "../contract.ts";

const server = await sharedServer();
const script = new URL("./sum-child.ts", import.meta.url).pathname;
const cooling = new URL("./cooldown-child.ts", import.meta.url).pathname;
const launching = new URL("../race-child.ts", import.meta.url).pathname;

interface Said {
  readonly ledgers: readonly string[];
  readonly numbers: readonly number[];
}

async function children(
  database: Database,
  { processes, openings, rounds }: { processes: number; openings: number; rounds: number },
): Promise<readonly Said[]> {
  const run = promisify(execFile);
  const all = Array.from({ length: processes }, () =>
    run(process.execPath, [script, database.url, String(openings), String(rounds)]),
  );
  return (await Promise.all(all)).map(({ stdout }) => JSON.parse(stdout) as Said);
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

function addTo(draft: Draft): number {
  draft.putAccount({ ...draft.account, sequence: draft.account.sequence + 1 });
  draft.note({ at: 1, kind: "launch", owner: null, deployment: null, text: String(draft.account.sequence) });
  return draft.account.sequence;
}

const PLACE = { offer: "o", provider: "p", location: "l" };

/** Makes the cooldown longer that all accounts of the service share. */
function warm(draft: Draft): number {
  const seconds = (draft.cooldown(PLACE)?.seconds ?? 0) + 1;
  draft.putCooldown({ ...PLACE, since: AT, seconds });
  return seconds;
}

describe.skipIf(!server)("several processes on one ledger in PostgreSQL", () => {
  it("make it once, also if it is opened 20 times at once", async () => {
    const said = await children(await server!.database(), { processes: 4, openings: 5, rounds: 1 });
    expect(new Set(said.flatMap(({ ledgers }) => ledgers)).size).toBe(1);
    expect(said.flatMap(({ numbers }) => numbers).toSorted((a, b) => a - b)).toEqual(upTo(20));
  });

  it("admit one launch into a group, though 8 of them try 20 times", async () => {
    const database = await server!.database();
    const run = promisify(execFile);
    const said = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        run(process.execPath, [launching, database.url, `p${index}`, "20"]),
      ),
    );
    const admitted = said.map(({ stdout }) => (JSON.parse(stdout) as { admitted: number }).admitted);
    expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await database.sql("SELECT state FROM fleetkeeper.intent")).toEqual([{ state: "open" }]);
  });

  it("decide one after the other: 8 of them, 40 times each, count to 320", async () => {
    const database = await server!.database();
    const said = await children(database, { processes: 8, openings: 1, rounds: 40 });
    expect(said.flatMap(({ numbers }) => numbers).toSorted((a, b) => a - b)).toEqual(upTo(320));
    const [account] = await (await database.ledger()).accounts();
    expect(account?.sequence).toBe(320);
  });
});

describe.skipIf(!server)("accounts of one service in PostgreSQL", () => {
  it("take no turns, but where they put what is the service's", async () => {
    const database = await server!.database();
    const ledger = await database.ledger();
    const keys = await Promise.all(
      ["anne", "bob"].map((id) =>
        ledger.openAccount({ baseUrl: "https://a.example.com", account: { ...ANNE, id } }),
      ),
    );
    // Somebody else puts a cooldown, and commits it once the account without one has decided.
    const holds = database.sql(`SET statement_timeout = '240s'; BEGIN;
      SELECT FROM fleetkeeper.service FOR NO KEY UPDATE;
      DO $$ BEGIN LOOP EXIT WHEN EXISTS (SELECT FROM fleetkeeper.account WHERE row LIKE '%"sequence":1%'); END LOOP; END $$;
      COMMIT`);
    await database.until(
      "SELECT FROM pg_stat_activity WHERE query LIKE '%LOOP%' AND pid <> pg_backend_pid()",
    );
    const cools = ledger.decide(keys[1]!, warm);
    expect(await ledger.decide(keys[0]!, addTo)).toBe(1);
    await holds;
    expect(await cools).toBe(1);
  });

  it("lose no cooldown of each other, and meet no deadlock: 8 processes, 4 accounts, 20 times each", async () => {
    const database = await server!.database();
    const run = promisify(execFile);
    const said = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        run(process.execPath, [cooling, database.url, `a${index % 4}`, "20"]),
      ),
    );
    const seconds = said.flatMap(({ stdout }) => JSON.parse(stdout) as readonly number[]);
    expect(seconds.toSorted((a, b) => a - b)).toEqual(upTo(160));
    const counts = "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()";
    expect(await database.sql(counts)).toEqual([{ deadlocks: 0 }]);
    const slots = "SELECT count(*)::int AS count FROM fleetkeeper.slot";
    expect(await database.sql(slots)).toEqual([{ count: 320 }]);
  });
});

describe.skipIf(!server)("a decision in PostgreSQL that meets a conflict", () => {
  it("runs again after a deadlock", async () => {
    const database = await server!.database();
    const proxy = await CuttingProxy.before(server!.port);
    const ledger = await database.ledger({ url: database.urlAt(proxy.port) });
    const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    let begun = 0;
    proxy.cut = (statement) => {
      if (statement.includes("BEGIN")) begun += 1;
      return undefined;
    };
    // A person locks in the other order, and waits until the ledger waits. It is the ledger that looks for a
    // deadlock first.
    const person =
      database.sql(`SET deadlock_timeout = '60s'; BEGIN; SELECT FROM fleetkeeper.service FOR UPDATE;
      DO $$ BEGIN LOOP EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted); END LOOP; END $$;
      SELECT FROM fleetkeeper.account FOR UPDATE;
      UPDATE fleetkeeper.account SET row = replace(row, '"sequence":0', '"sequence":6'); COMMIT`);
    await database.until(
      "SELECT FROM pg_stat_activity WHERE query LIKE '%LOOP%' AND pid <> pg_backend_pid() AND state = 'active'",
    );
    const cooling = (draft: Draft): number => {
      warm(draft);
      return addTo(draft);
    };
    expect(await ledger.decide(key, cooling)).toBe(7);
    await person;
    expect(begun).toBe(2);
  });

  it("runs again after a serialization failure, and tells any other error at once", async () => {
    const database = await server!.database();
    const ledger = await database.ledger();
    const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    const failing = (code: string): string => `
      CREATE SEQUENCE fails; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF nextval('fails') = 1 THEN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER fail BEFORE INSERT ON fleetkeeper.event FOR EACH ROW EXECUTE FUNCTION fail();`;
    await database.sql(failing("40001"));
    let runs = 0;
    const decide = (): Promise<number> =>
      ledger.decide(key, (draft) => {
        runs += 1;
        return addTo(draft);
      });
    expect([await decide(), runs]).toEqual([1, 2]);
    await database.sql(
      `DROP TRIGGER fail ON fleetkeeper.event; DROP FUNCTION fail; DROP SEQUENCE fails; ${failing("22000")}`,
    );
    await expect(decide()).rejects.toMatchObject({ code: "LEDGER" });
    expect([await decide(), runs]).toEqual([2, 4]);
  });
});

describe.skipIf(!server)("a server that is killed while three processes decide, and started again", () => {
  it("has what they were told that it has", async () => {
    const own = await TestServer.start();
    try {
      const database = await own.database();
      const ledgers = await Promise.all([1, 2, 3].map(() => database.ledger()));
      const [first] = ledgers;
      const key = await first!.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
      const numbers: number[] = [];
      let isOver = false;
      const work = Promise.all(
        ledgers.map(async (ledger) => {
          while (!isOver) numbers.push(await ledger.decide(key, addTo));
        }),
      );
      work.catch(() => undefined);
      for (let times = 1; times <= 3; times++) {
        await expect.poll(() => numbers.length).toBeGreaterThan(20 * times);
        await own.kill();
        await own.restart();
      }
      await expect.poll(() => numbers.length).toBeGreaterThan(100);
      isOver = true;
      await work;
      expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(numbers.length));
      const rows = await database.sql("SELECT count(*)::int AS events FROM fleetkeeper.event");
      expect(rows).toEqual([{ events: numbers.length }]);
      for (const ledger of ledgers) ledger.close();
    } finally {
      await own.end();
    }
  });
});
