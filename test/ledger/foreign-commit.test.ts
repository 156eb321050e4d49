import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { newMachineRow } from "../../launch/machine/new-machine.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { intentAsFound } from "../support/as-found.ts";
import { ANNE, intentOf } from "./contract.ts";
import { folder } from "./folder.ts";

/*
 * What others commit is found by the version that triggers give to a changed row. So it does not matter who
 * writes: here it is bare SQL of a program that knows of no versions, such as an older fleetkeeper.
 */

const PLACE = { offer: "o", provider: "p", location: "l" };
const NOW = { wall: 1, mono: 1, boot: "b" };
const CONTEXT = { now: NOW } as Parameters<typeof newMachineRow>[2];

const open = (path: string): Ledger => openSqliteLedger({ path, newId: "foreignforeign00", now: 1 });

/** A ledger with one row of each kind, and what stands in it. */
async function filled() {
  const path = join(folder(), "ledger.db");
  const ledger = open(path);
  const key = await ledger.openAccount({ baseUrl: "u", account: ANNE });
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
  return { path, ledger, key, rows: async () => plain(await ledger.read(key)) };
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

async function fresh(path: string, key: string) {
  const ledger = open(path);
  const rows = plain(await ledger.read(key));
  ledger.close();
  return rows;
}

function write(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

const CHANGED = "json_set(row, '$.mood', 'changed')";
const ANEW = (field: string, name: string): string => `json_set(row, '$.${field}', '${name}')`;

const WRITES = [
  ["intent", "updated", `UPDATE intent SET row = ${CHANGED} WHERE id = 'intent-1'`],
  [
    "intent",
    "inserted",
    `INSERT INTO intent (id, account, grouped, state, row)
     SELECT 'intent-3', account, 'intent-3', state, ${ANEW("id", "intent-3")} FROM intent WHERE id = 'intent-1'`,
  ],
  ["intent", "deleted", "DELETE FROM intent WHERE id = 'intent-1'"],
  ["deployment", "updated", `UPDATE deployment SET row = ${CHANGED} WHERE id = 'machine-1'`],
  [
    "deployment",
    "inserted",
    `INSERT INTO deployment (account, id, claim, ended, row)
     SELECT account, 'machine-0', claim, ended, json_set(row, '$.id', 'machine-0', '$.sequence', 0) FROM deployment WHERE id = 'machine-1'`,
  ],
  ["deployment", "deleted", "DELETE FROM deployment WHERE id = 'machine-1'"],
  ["slot", "updated", `UPDATE slot SET row = ${CHANGED}`],
  [
    "slot",
    "inserted",
    `INSERT INTO slot (id, account, row) SELECT 'slot-0', account, ${ANEW("id", "slot-0")} FROM slot`,
  ],
  ["slot", "deleted", "DELETE FROM slot"],
  ["fleet", "updated", `UPDATE fleet SET row = ${CHANGED}`],
  [
    "fleet",
    "inserted",
    `INSERT INTO fleet (name, account, row) SELECT 'fleet-0', account, ${ANEW("name", "fleet-0")} FROM fleet`,
  ],
  ["fleet", "deleted", "DELETE FROM fleet"],
  ["cooldown", "updated", `UPDATE cooldown SET row = ${CHANGED}`],
  [
    "cooldown",
    "inserted",
    `INSERT INTO cooldown (base_url, combination, row)
     SELECT base_url, '${combinationKey({ ...PLACE, offer: "another" })}', ${ANEW("offer", "another")} FROM cooldown`,
  ],
  ["cooldown", "deleted", "DELETE FROM cooldown"],
] as const;

describe.each(WRITES)("a row of the table %s that another program has %s", (table, how, sql) => {
  it("is seen", async () => {
    const { path, ledger, key, rows } = await filled();
    const before = await rows();
    write(path, sql);
    expect(await rows()).toEqual(await fresh(path, key));
    expect(await rows()).not.toEqual(before);
    ledger.close();
  });

  it("control: is missed without the trigger", async () => {
    const { path, ledger, rows } = await filled();
    write(path, `DROP TRIGGER ${table}_${how}`);
    const before = await rows();
    write(path, sql);
    expect(await rows()).toEqual(before);
    ledger.close();
  });
});

it("is seen, too, where it marks a new row as its table does by default, in a ledger whose rows are all older", async () => {
  const { path, ledger, key, rows } = await filled();
  await rows();
  write(path, "UPDATE ledger SET version = 0; UPDATE fleet SET version = 0");
  await rows();
  write(
    path,
    `INSERT INTO fleet (name, account, row) SELECT 'fleet-0', account, ${ANEW("name", "fleet-0")} FROM fleet`,
  );
  expect(await rows()).toEqual(await fresh(path, key));
  ledger.close();
});

it("is marked once by fleetkeeper itself, and again where one transaction puts it twice", async () => {
  const { path, ledger, key } = await filled();
  const marks = (): unknown[] => {
    const db = new DatabaseSync(path);
    const found = db
      .prepare("SELECT (SELECT version FROM ledger) AS ledger, version AS slot FROM slot")
      .all();
    db.close();
    return found;
  };
  const put = (times: number): Promise<void> =>
    ledger.decide(key, (draft) => {
      for (let time = 0; time < times; time++)
        draft.putSlot({ ...draft.slots.get("slot-1")!, closing: time > 0 });
    });
  expect(marks()).toEqual([{ ledger: 1, slot: 1 }]);
  await put(1);
  expect(marks()).toEqual([{ ledger: 2, slot: 2 }]);
  await put(2);
  expect(marks()).toEqual([{ ledger: 4, slot: 4 }]);
  ledger.close();
});

it("is the only row that is read again", async () => {
  const { path, ledger, rows } = await filled();
  const before = await rows();
  write(path, `UPDATE deployment SET row = ${CHANGED} WHERE id = 'machine-1'`);
  const after = await rows();
  expect(after.deployments[0]).not.toEqual(before.deployments[0]);
  expect(after.deployments[1]).toBe(before.deployments[1]);
  expect(after.intents[0]).toBe(before.intents[0]);
  ledger.close();
});

it("an own change is not read again when another program commits", async () => {
  const { path, ledger, key, rows } = await filled();
  await ledger.decide(key, (draft) =>
    draft.putSlot({ id: "slot-2", name: "n", created: NOW, closing: true }),
  );
  const before = await rows();
  write(path, `UPDATE fleet SET row = ${CHANGED}`);
  expect((await rows()).slots[1]).toBe(before.slots[1]);
  ledger.close();
});

it("the account's own row is seen, though it has no version", async () => {
  const { path, ledger, key, rows } = await filled();
  await rows();
  write(path, "UPDATE account SET row = json_set(row, '$.sequence', 99)");
  expect((await rows()).account.sequence).toBe(99);
  expect(await rows()).toEqual(await fresh(path, key));
  ledger.close();
});

type Filled = Awaited<ReturnType<typeof filled>>;

/** Writes down machines, and then restores the backup from before, as sqlite3's .restore does: in one transaction. */
async function restoredUnder(
  { path, ledger, key }: Filled,
  lost: readonly string[] = ["machine-3", "machine-4", "machine-5"],
): Promise<void> {
  const backup = join(folder(), "backup.db");
  write(path, `VACUUM INTO '${backup}'`);
  for (const id of lost)
    await ledger.decide(key, (draft) => draft.putDeployment(newMachineRow(draft, id, CONTEXT)));
  expect((await ledger.read(key)).deployments).toHaveLength(2 + lost.length);
  const trigger = String(sqlOf(path, "deployment_deleted"));
  write(
    path,
    `ATTACH '${backup}' AS backup; BEGIN; DROP TRIGGER deployment_deleted;
     DELETE FROM deployment WHERE id NOT IN (SELECT id FROM backup.deployment); ${trigger};
     UPDATE account SET row = (SELECT row FROM backup.account), written = written - 3600000;
     UPDATE ledger SET version = (SELECT version FROM backup.ledger), cleared = (SELECT cleared FROM backup.ledger),
       written = written - 3600000; COMMIT;`,
  );
}

function sqlOf(path: string, name: string): unknown {
  const db = new DatabaseSync(path);
  const found = db.prepare("SELECT sql FROM sqlite_schema WHERE name = ?").get(name);
  db.close();
  return found?.sql;
}

describe("a backup that somebody restores into an open ledger", () => {
  it("is seen as it is, with all that it lacks", async () => {
    const at = await filled();
    await restoredUnder(at);
    expect(await at.rows()).toEqual(await fresh(at.path, at.key));
    at.ledger.close();
  });

  it("has two full lists taken before anything is launched, by a process that had it open all the time", async () => {
    const at = await filled();
    await restoredUnder(at, ["machine-3"]);
    // It may have looked at the ledger before it decides.
    await at.rows();
    await at.ledger.decide(at.key, (draft) =>
      draft.putSlot({ ...draft.slots.get("slot-1")!, closing: true }),
    );
    expect((await at.rows()).account.restored).toEqual({ first: null });
    await at.ledger.decide(at.key, (draft) => {
      const { restored: _, ...row } = draft.account;
      draft.putAccount(row);
    });
    expect((await at.rows()).account.restored).toBeUndefined();
    at.ledger.close();
  });

  it("is seen as it is, too, where another process wrote more rows since than the backup lacks", async () => {
    const at = await filled();
    await restoredUnder(at);
    const other = open(at.path);
    await other.openAccount({ baseUrl: "u", account: ANNE });
    for (const id of ["a", "b", "c", "d", "e"])
      await other.decide(at.key, (draft) => draft.putDeployment(newMachineRow(draft, id, CONTEXT)));
    expect((await at.rows()).deployments.map(({ id }) => id)).toEqual([
      "machine-1",
      "machine-2",
      "a",
      "b",
      "c",
      "d",
      "e",
    ]);
    for (const ledger of [at.ledger, other]) ledger.close();
  });
});
