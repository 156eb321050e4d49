import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import type { History } from "../../ledger/chart-history.ts";
import type { AllRows } from "../../ledger/copy.ts";
import { copyLedger } from "../../ledger/copy.ts";
import { elapsed } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openAllRowsPostgres } from "../../ledger/postgres/all-rows.ts";
import { openAllRowsSqlite } from "../../ledger/sqlite/all-rows.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../ledger/system-clock.ts";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";
import { archive, fill } from "./archive-contract.ts";
import { ANNE, AT } from "./contract.ts";
import { folder } from "./folder.ts";
import { marketOf } from "./market-contract.ts";
import { sampleOf } from "./sample-contract.ts";

/** A place for a ledger, and how it is opened there. */
interface Place {
  readonly location: string;
  use(): Promise<Ledger & History>;
  whole(): Promise<AllRows>;
  empty(): Promise<unknown>;
}

const EVENT = { kind: "launch", owner: null, deployment: null } as const;
const MADE = { id: "freshfreshfresh0", created: 7 };

function sqlitePlace(): Place {
  const path = join(folder(), "ledger.db");
  const use = () => openSqliteLedger({ path, newId: MADE.id, now: MADE.created });
  return {
    location: path,
    use: async () => use(),
    whole: async () => openAllRowsSqlite(path, MADE),
    empty: async () => {
      for (const side of ["", "-wal", "-shm"]) rmSync(`${path}${side}`, { force: true });
    },
  };
}

const server = await sharedServer();

async function postgresPlace(): Promise<Place> {
  const database = await server!.database();
  const [{ url }] = [database];
  return {
    location: url.replace("postgres@", "").replace(/\?.*/, ""),
    use: () => database.ledger(),
    whole: () => openAllRowsPostgres(url, MADE),
    empty: () => database.sql("DROP SCHEMA fleetkeeper CASCADE"),
  };
}

/** Every kind of row, and names that a column must not change. */
async function furnish(place: Place): Promise<string> {
  const ledger = await place.use();
  const key = await fill(ledger);
  await archive(ledger, key, "m2");
  await ledger.openAccount({ baseUrl: "v", account: { ...ANNE, id: 'a"\\' } });
  await ledger.decide(key, (draft) => {
    draft.putCooldown({ offer: 'o"', provider: "p", location: "l", since: AT, seconds: 60 });
    for (const id of ["s2", "s1"]) draft.putSlot({ id, name: `n\u0000${id}`, created: AT, closing: false });
    draft.note({ ...EVENT, at: 3, text: "x", intent: "i1" });
    draft.note({ ...EVENT, at: 2, text: "y" });
  });
  await ledger.putStretch(key, { at: 1, until: 2, balance: "1.5", perHour: null, fleets: {} }, 0);
  await ledger.putMarket(key, marketOf(1, 2));
  await ledger.putSamples(key, [sampleOf(1), sampleOf(9)], 0, 10);
  ledger.close();
  return key;
}

async function all(place: Place, key: string) {
  const ledger = await place.use();
  onTestFinished(() => ledger.close());
  const {
    account,
    intents,
    deployments,
    slots,
    fleets,
    cooldowns,
    archive: archived,
  } = await ledger.read(key);
  return {
    id: ledger.id,
    created: ledger.created,
    accounts: await ledger.accounts(),
    ...{ account, intents, slots, fleets, cooldowns },
    deployments: deployments.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    archived: [archived?.pair("m2"), archived?.idsOf("fleet:web")],
    events: await ledger.events(key, 50),
    stretches: await ledger.stretches(key, 0),
    market: await ledger.market(key),
    samples: await ledger.samples(key, 0, 10),
  };
}

const isUsable = async (place: Place): Promise<boolean> => {
  try {
    const ledger = await place.use();
    ledger.close();
    return true;
  } catch {
    return false;
  }
};

const KINDS = { sqlite: async () => sqlitePlace(), postgres: postgresPlace };
type Kind = keyof typeof KINDS;

const PAIRS: readonly [Kind, Kind, object][] = [
  ["sqlite", "postgres", {}],
  ["postgres", "sqlite", {}],
  // Both of its ends stand above.
  ["postgres", "postgres", REPEATS],
];

for (const [from, to, options] of PAIRS)
  describe.skipIf(server === undefined)(`from ${from} to ${to}`, options, () => {
    const places = async () => [await KINDS[from](), await KINDS[to]()] as const;

    test("the copy has every row and goes on from there, and the old ledger refuses all, and says where it went", async () => {
      const [source, target] = await places();
      const key = await furnish(source);
      const before = await all(source, key);
      const counts = await copyLedger(source.whole, target.whole);
      expect(counts).toMatchObject({ account: 2, intent: 4, deployment: 4, slot: 2, cooldown: 1 });
      expect(counts).toMatchObject({ stretch: 1, market: 1, sample: 2 });
      expect(await all(target, key)).toEqual(before);
      await expect(source.use()).rejects.toMatchObject({
        code: "LEDGER",
        message: expect.stringContaining("this ledger was moved to "),
      });
      const ledger = await target.use();
      await ledger.decide(key, (draft) => {
        draft.note({ ...EVENT, at: 9, text: "z" });
      });
      const [newest] = await ledger.events(key, 1);
      expect(newest).toMatchObject({ text: "z", sequence: (before.events[0]?.sequence ?? 0) + 1 });
    });

    test("a process that has the old ledger open decides nothing there any more", async () => {
      const [source, target] = await places();
      const key = await furnish(source);
      const open = await source.use();
      onTestFinished(() => open.close());
      await open.read(key);
      await copyLedger(source.whole, target.whole);
      await expect(
        open.decide(key, (draft) => draft.putAccount({ ...draft.account, sequence: 9 })),
      ).rejects.toThrow(/this ledger was moved to /);
    });

    test("a second copy is refused, from the old ledger and into the new one", async () => {
      const [source, target] = await places();
      const other = await KINDS[to]();
      await furnish(source);
      await copyLedger(source.whole, target.whole);
      await expect(copyLedger(source.whole, other.whole)).rejects.toThrow(/was moved to /);
      await expect(copyLedger(source.whole, target.whole)).rejects.toThrow(/was moved to /);
      const third = await KINDS[from]();
      await furnish(third);
      await expect(copyLedger(third.whole, target.whole)).rejects.toThrow(/this ledger is in use/);
      expect(await isUsable(third)).toBe(true);
    });

    test("cut off before or after any of its commits: never are both to be used, and the same copy finishes it", async () => {
      for (let cut = 1; cut <= 6; cut++) {
        const [source, target] = await places();
        const key = await furnish(source);
        const before = await all(source, key);
        let commits = 0;
        const cutting = (open: () => Promise<AllRows>) => async () => {
          const whole = await open();
          const commit = whole.commit.bind(whole);
          whole.commit = async () => {
            commits += 2;
            if (commits - 1 === cut) throw new Error("cut off");
            await commit();
            if (commits === cut) throw new Error("cut off");
          };
          return whole;
        };
        await expect(copyLedger(cutting(source.whole), cutting(target.whole))).rejects.toThrow("cut off");
        expect(await isUsable(source), `cut ${cut}`).toBe(cut <= 3);
        // Before the first commit nothing is there, and to look would make it.
        if (cut > 1) expect(await isUsable(target), `cut ${cut}`).toBe(cut === 6);
        const again = await copyLedger(source.whole, target.whole).catch((error: Error) => error.message);
        if (cut === 2 || cut === 3) {
          expect(again).toContain("an earlier copy into this place was cut off");
          await target.empty();
          await copyLedger(source.whole, target.whole);
        }
        expect(await isUsable(source)).toBe(false);
        expect(await all(target, key)).toEqual(before);
      }
    });

    test("a copy that stands still before its end, while others finish it and move it on, releases nothing", async () => {
      const [source, target] = await places();
      const third = await KINDS[to]();
      const key = await furnish(source);
      let opened = 0;
      const stopped = async () => {
        opened += 1;
        if (opened === 2) {
          await copyLedger(source.whole, target.whole);
          await copyLedger(target.whole, third.whole);
        }
        return target.whole();
      };
      await expect(copyLedger(source.whole, stopped)).rejects.toThrow(/this ledger was moved to /);
      expect([await isUsable(source), await isUsable(target)]).toEqual([false, false]);
      expect((await all(third, key)).accounts).toHaveLength(2);
    });

    test("a row that is not stored as it was is an error, and the old ledger stays in use", async () => {
      const [source, target] = await places();
      await furnish(source);
      const losing = async () => {
        const whole = await target.whole();
        const put = whole.put.bind(whole);
        whole.put = (table, rows) => put(table, table === "event" ? rows.slice(1) : rows);
        return whole;
      };
      await expect(copyLedger(source.whole, losing)).rejects.toThrow(
        /the table event was not stored as it is/,
      );
      expect(await isUsable(source)).toBe(true);
    });
  });

test("a file that was restored takes its two full lists in the new place, too", async () => {
  if (!server) return;
  const [source, target] = [sqlitePlace(), await postgresPlace()];
  const key = await furnish(source);
  const db = new DatabaseSync(source.location);
  for (const table of ["ledger", "account"]) db.exec(`UPDATE ${table} SET written = written - 3600000`);
  db.close();
  await copyLedger(source.whole, target.whole);
  expect((await all(target, key)).accounts).toMatchObject([
    { restored: { first: null } },
    { restored: { first: null } },
  ]);
});

test("the first epoch in the new place is newer than those of the rows, also where its clock is behind theirs", async () => {
  if (!server) return;
  const [source, target] = [sqlitePlace(), await postgresPlace()];
  const key = await furnish(source);
  const boot = "epoch 9000000000000 since 9000000000000";
  const ledger = await source.use();
  const first = { ...AT, boot };
  await ledger.decide(key, (draft) => draft.putAccount({ ...draft.account, restored: { first } }));
  ledger.close();
  await copyLedger(source.whole, target.whole);
  const moved = await target.use();
  await moved.read(key);
  expect(elapsed(first, moved.clockOn(systemClock()).now())).toBe(0);
  await moved.decide(key, () => undefined);
  expect(moved.clockOn(systemClock()).now().boot).toMatch(/^epoch 9000000000001 since [12]\d{12}$/);
});

test("a fleetkeeper that knows of no seal refuses a sealed file by its version", async () => {
  if (!server) return;
  const [source, target] = [sqlitePlace(), await postgresPlace()];
  await furnish(source);
  await copyLedger(source.whole, target.whole);
  const db = new DatabaseSync(source.location);
  onTestFinished(() => db.close());
  expect(db.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1_000_000 });
  expect(db.prepare("SELECT needs FROM ledger").get()).toEqual({ needs: 1_000_000 });
});
