import { describe, expect, it } from "vitest";
import { newMachineRow } from "../../../launch/machine/new-machine.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { combinationKey } from "../../../service/contract/contract.ts";
import { intentAsFound } from "../../support/as-found.ts";
import { sharedServer } from "../../support/postgres.ts";
import { REPEATS } from "../../support/repeats.ts";
import { ARCHIVED, archive, fill } from "../archive-contract.ts";
import { ANNE, intentOf } from "../contract.ts";

/*
 * What others commit is found by the version that triggers give to a changed row. So it does not matter who
 * writes: here it is bare SQL of a person.
 */

const server = await sharedServer();

const PLACE = { offer: "o", provider: "p", location: "l" };
const NOW = { wall: 1, mono: 1, boot: "b" };
const CONTEXT = { now: NOW } as Parameters<typeof newMachineRow>[2];

/** A ledger with one row of each kind, and what stands in it. */
async function filled() {
  const database = await server!.database();
  const ledger = await database.ledger();
  const key = await ledger.openAccount({ baseUrl: "u", account: ANNE });
  const other = await ledger.openAccount({ baseUrl: "u", account: { ...ANNE, id: "other" } });
  await ledger.decide(key, (draft) => {
    for (const id of ["machine-1", "machine-2"]) draft.putDeployment(newMachineRow(draft, id, CONTEXT));
    for (const id of ["intent-1", "intent-2"])
      intentAsFound(draft, { ...intentOf(id), group: id, state: "rejected" });
    draft.putSlot({ id: "slot-1", name: "n", created: NOW, closing: false });
    draft.putFleet({
      ...{ name: "fleet-1", source: "s", wish: {}, born: true, birth: null, removed: false, paused: false },
      ...{ pace: 1, reasons: [] },
    });
    draft.putCooldown({ ...PLACE, since: NOW, seconds: 1 });
  });
  const rows = async () => plain(await ledger.read(key));
  /** What a process finds that has just opened the ledger. */
  const truth = async () => {
    const fresh = await database.ledger();
    const found = plain(await fresh.read(key));
    fresh.close();
    return found;
  };
  return { database, ledger, key, other, rows, truth };
}

function plain({
  account,
  intents,
  deployments,
  slots,
  fleets,
  cooldowns,
}: Awaited<ReturnType<Ledger["read"]>>) {
  return { account, intents, deployments, slots, fleets, cooldowns };
}

const put = (field: string, value: string): string =>
  `(row::jsonb || jsonb_build_object('${field}', '${value}'))::text`;
const CHANGED = put("mood", "changed");

const WRITES = [
  ["intent", "marked", `UPDATE fleetkeeper.intent SET row = ${CHANGED} WHERE id = 'intent-1'`],
  [
    "intent",
    "marked",
    `INSERT INTO fleetkeeper.intent (id, account, grouped, state, row)
     SELECT 'intent-3', account, 'intent-3', state, ${put("id", "intent-3")} FROM fleetkeeper.intent WHERE id = 'intent-1'`,
  ],
  ["intent", "marked", "UPDATE fleetkeeper.intent SET account = 'u other' WHERE id = 'intent-1'"],
  ["intent", "deleted", "DELETE FROM fleetkeeper.intent WHERE id = 'intent-1'"],
  ["intent", "emptied", "TRUNCATE fleetkeeper.intent"],
  ["deployment", "marked", `UPDATE fleetkeeper.deployment SET row = ${CHANGED} WHERE id = 'machine-1'`],
  [
    "deployment",
    "marked",
    `INSERT INTO fleetkeeper.deployment (account, id, claim, ended, row) SELECT account, 'machine-0', claim, ended,
     (row::jsonb || '{"id":"machine-0","sequence":0}')::text FROM fleetkeeper.deployment WHERE id = 'machine-1'`,
  ],
  [
    "deployment",
    "marked",
    `UPDATE fleetkeeper.deployment SET id = 'machine-9', row = ${put("id", "machine-9")} WHERE id = 'machine-1'`,
  ],
  ["deployment", "deleted", "DELETE FROM fleetkeeper.deployment WHERE id = 'machine-1'"],
  ["deployment", "emptied", "TRUNCATE fleetkeeper.deployment"],
  ["slot", "marked", `UPDATE fleetkeeper.slot SET row = ${CHANGED}`],
  ["slot", "deleted", "DELETE FROM fleetkeeper.slot"],
  ["slot", "emptied", "TRUNCATE fleetkeeper.slot"],
  ["fleet", "marked", `UPDATE fleetkeeper.fleet SET row = ${CHANGED}`],
  ["fleet", "deleted", "DELETE FROM fleetkeeper.fleet"],
  ["fleet", "emptied", "TRUNCATE fleetkeeper.fleet"],
  ["cooldown", "marked", `UPDATE fleetkeeper.cooldown SET row = ${CHANGED}`],
  [
    "cooldown",
    "marked",
    `INSERT INTO fleetkeeper.cooldown (base_url, combination, row) SELECT base_url,
     '${JSON.stringify(combinationKey({ ...PLACE, offer: "another" })).slice(1, -1)}', ${put("offer", "another")} FROM fleetkeeper.cooldown`,
  ],
  ["cooldown", "deleted", "DELETE FROM fleetkeeper.cooldown"],
  ["cooldown", "emptied", "TRUNCATE fleetkeeper.cooldown"],
] as const;

describe.skipIf(!server)("a row in PostgreSQL that another program has changed", () => {
  const seen = async (table: string, trigger: string, sql: string): Promise<void> => {
    const { database, rows, truth } = await filled();
    const before = await rows();
    await database.sql(sql);
    expect(await rows()).toEqual(await truth());
    expect(await rows()).not.toEqual(before);

    const control = await filled();
    await control.rows();
    await control.database.sql(
      `ALTER TABLE fleetkeeper.${table} DISABLE TRIGGER ${table}_${trigger}; ${sql}`,
    );
    expect(await control.rows()).not.toEqual(await control.truth());
  };
  const isSeen = "is seen, and is missed without the trigger (%s, %s, %#)";
  // All that can happen to a machine, and one of each other table: every table has the same triggers.
  const isFirst = ([table]: (typeof WRITES)[number], at: number): boolean =>
    table === "deployment" || WRITES.findIndex(([each]) => each === table) === at;
  it.each(WRITES.filter(isFirst))(isSeen, seen);
  it.each(WRITES.filter((write, at) => !isFirst(write, at)))(isSeen, REPEATS, seen);

  it("is the only row that is read again", async () => {
    const { database, rows } = await filled();
    const before = await rows();
    await database.sql(`UPDATE fleetkeeper.deployment SET row = ${CHANGED} WHERE id = 'machine-1'`);
    const after = await rows();
    expect(after.deployments[0]).not.toEqual(before.deployments[0]);
    expect(after.deployments[1]).toBe(before.deployments[1]);
    expect(after.intents[0]).toBe(before.intents[0]);
  });

  it("is seen in the account's own row, too", async () => {
    const { database, rows, truth } = await filled();
    await rows();
    await database.sql(
      `UPDATE fleetkeeper.account SET row = (row::jsonb || '{"sequence":99}')::text WHERE key = 'u anne'`,
    );
    expect((await rows()).account.sequence).toBe(99);
    expect(await rows()).toEqual(await truth());
  });

  it("is seen by a decision, in the same transaction", async () => {
    const { database, ledger, key, rows } = await filled();
    await rows();
    await database.sql(`UPDATE fleetkeeper.slot SET row = ${CHANGED}`);
    expect(await ledger.decide(key, (draft) => draft.slots.get("slot-1"))).toMatchObject({ mood: "changed" });
  });
});

const ROWS = [
  "ledger",
  "service",
  "account",
  "decision",
  "intent",
  "deployment",
  "slot",
  "fleet",
  "cooldown",
];

/** Takes a backup of all rows, and gives what puts it back in the place of what is there then, in one transaction. */
async function backup({ database }: Awaited<ReturnType<typeof filled>>): Promise<() => Promise<unknown>> {
  const copy = ROWS.map((table) => `CREATE TABLE backup.${table} AS TABLE fleetkeeper.${table};`);
  await database.sql(`CREATE SCHEMA backup; ${copy.join("")}`);
  const columns = "SELECT string_agg(column_name, ',') FROM information_schema.columns WHERE";
  const back = ROWS.map(
    (table) => `EXECUTE format('DELETE FROM fleetkeeper.${table}');
    EXECUTE format('INSERT INTO fleetkeeper.${table} (%1$s) OVERRIDING SYSTEM VALUE SELECT %1$s FROM backup.${table}',
      (${columns} table_schema = 'backup' AND table_name = '${table}'));`,
  );
  return () => database.sql(`SET session_replication_role = replica; DO $$ BEGIN ${back.join("")} END $$`);
}

const lose = (draft: Draft, id: string): void => {
  draft.putDeployment(newMachineRow(draft, id, CONTEXT));
  draft.putCooldown({ ...PLACE, offer: id, since: NOW, seconds: 1 });
};

describe.skipIf(!server)(
  "a ledger in PostgreSQL whose newest transactions were lost under an open one",
  () => {
    it("is seen as it is, whatever others have stored since", async () => {
      for (const others of [0, 1, 2, 3, 5]) {
        const at = await filled();
        const restore = await backup(at);
        for (const id of ["lost-1", "lost-2"]) await at.ledger.decide(at.key, (draft) => lose(draft, id));
        await restore();
        const other = await at.database.ledger();
        for (let count = 0; count < others; count++)
          await other.decide(at.key, (draft) => lose(draft, `kept-${count}`));
        expect(await at.rows(), String(others)).toEqual(await at.truth());
        expect((await at.rows()).deployments, String(others)).toHaveLength(2 + others);
      }
    });

    it("has two full lists taken before anything is launched, by a process that had it open", async () => {
      const at = await filled();
      const restore = await backup(at);
      await at.ledger.decide(at.key, (draft) => lose(draft, "lost"));
      await restore();
      // It may have looked at the ledger before it decides.
      await at.rows();
      await at.ledger.decide(at.key, (draft) => draft.slots.size);
      expect((await at.rows()).account.restored).toEqual({ first: null });
      await at.ledger.decide(at.key, (draft) => {
        const { restored: _, ...row } = draft.account;
        draft.putAccount(row);
      });
      expect((await at.rows()).account.restored).toBeUndefined();
    });

    it("has them taken, too, by a process whose newest decision failed", async () => {
      const at = await filled();
      const restore = await backup(at);
      await at.ledger.decide(at.key, (draft) => lose(draft, "lost"));
      const fails = (): never => {
        throw new RangeError("no");
      };
      await expect(at.ledger.decide(at.key, fails)).rejects.toThrow(RangeError);
      await restore();
      await at.ledger.decide(at.key, (draft) => draft.slots.size);
      expect((await at.rows()).account.restored).toEqual({ first: null });
    });

    it("control: what is forgotten because it is old is not taken for lost", async () => {
      const at = await filled();
      await at.rows();
      const other = await at.database.ledger();
      for (let count = 0; count < 102; count++)
        await other.decide(at.key, (draft) => draft.putAccount({ ...draft.account }));
      await at.database.sql("UPDATE fleetkeeper.decision SET at = at - interval '1 hour'");
      await other.decide(at.key, (draft) => draft.putAccount({ ...draft.account }));
      const left = await at.database.sql(
        "SELECT count(*)::int AS count FROM fleetkeeper.decision WHERE account = 'u anne'",
      );
      expect(left).toEqual([{ count: 101 }]);
      await at.ledger.decide(at.key, (draft) => draft.slots.size);
      expect((await at.rows()).account.restored).toBeUndefined();
      expect(await at.rows()).toEqual(await at.truth());
    });
  },
);

describe.skipIf(!server)("an archived machine in PostgreSQL", () => {
  it.each([
    ["machine", "UPDATE fleetkeeper.deployment SET row = replace(row, '0.1000', '0.2000') WHERE id = 'm1'"],
    ["launch", `UPDATE fleetkeeper.intent SET row = ${CHANGED} WHERE id = 'i1'`],
  ])("comes back with its launch, whoever changes the %s", async (_what, sql) => {
    const database = await server!.database();
    const ledger = await database.ledger();
    const key = await fill(ledger);
    await archive(ledger, key, "m1");
    await ledger.read(key);
    await database.sql(sql);
    const { deployments, intents } = await ledger.read(key);
    expect(deployments.map(({ id }) => id)).toEqual(["m1", "m2", "m3", "m4"]);
    expect(intents.map(({ id }) => id)).toEqual(["i1", "i2", "i3", "i4"]);
  });

  it("is not loaded before somebody asks for it, and a decision that asks runs again", async () => {
    const database = await server!.database();
    const ledger = await database.ledger();
    const key = await fill(ledger);
    for (const id of ["m1", "m2"]) await archive(ledger, key, id);
    const fresh = await database.ledger();
    let runs = 0;
    const decide = (id: string): Promise<unknown> =>
      fresh.decide(key, (draft) => {
        runs += 1;
        draft.putSlot({ id: `slot-${runs}`, name: "n", created: NOW, closing: false });
        return draft.deployments.ever(id)?.end;
      });
    expect([await decide("m3"), runs]).toEqual(["interrupted", 1]);
    expect([await decide("m1"), runs]).toEqual(["interrupted", 3]);
    expect([await decide("m2"), runs]).toEqual(["interrupted", 4]);
    // What a run put that came to nothing is not stored.
    expect((await fresh.read(key)).slots.map(({ id }) => id)).toEqual(["slot-1", "slot-3", "slot-4"]);
  });

  it("is found by the decision that has just archived it", async () => {
    const ledger = await (await server!.database()).ledger();
    const key = await fill(ledger);
    const end = await ledger.decide(key, (draft) => {
      draft.archiveMachine(draft.deployments.ever("m1")!, ARCHIVED);
      return [draft.deployments.ever("m1")?.end, draft.archive.has("m1")];
    });
    expect(end).toEqual(["interrupted", true]);
    expect((await ledger.read(key)).deployments.map(({ id }) => id)).toEqual(["m2", "m3", "m4"]);
  });
});
