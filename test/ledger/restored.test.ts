import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { folder } from "./folder.ts";

const HOUR = 3_600_000;
const account = {
  id: "a",
  email: "anne@example.com",
  display_name: "Anne",
  created_at: "2030-01-01T00:00:00Z",
};

function opened(path: string) {
  return openSqliteLedger({ path, newId: "restored0000", now: 1 });
}

async function restoredIn(path: string, baseUrl = "u") {
  const ledger = opened(path);
  const key = await ledger.openAccount({ baseUrl, account });
  const { account: row } = await ledger.read(key);
  ledger.close();
  return row.restored;
}

/** What stands in the file is so much older than the file. */
function age(path: string, ms: number): void {
  const db = new DatabaseSync(path);
  for (const table of ["ledger", "account"]) db.prepare(`UPDATE ${table} SET written = written - ?`).run(ms);
  db.close();
}

/** What versions 5 and 8 of a ledger added to a table. */
function undo(table: string): string {
  const archive =
    table === "deployment" || table === "intent"
      ? `DROP TRIGGER ${table}_archived; DROP TRIGGER ${table}_recalled; DROP INDEX ${table}_here;
         DROP INDEX IF EXISTS ${table}_archived; ALTER TABLE ${table} DROP COLUMN archived;`
      : "";
  return `${archive} DROP TRIGGER ${table}_inserted; DROP TRIGGER ${table}_updated; DROP TRIGGER ${table}_deleted;
    DROP INDEX IF EXISTS ${table}_version; ALTER TABLE ${table} DROP COLUMN version;`;
}

it("is told from a ledger that fleetkeeper wrote last, by the time at which the file was changed", async () => {
  const path = join(folder(), "ledger.db");
  const backup = join(folder(), "backup.db");
  expect(await restoredIn(path)).toBeUndefined();
  expect(await restoredIn(path)).toBeUndefined();
  copyFileSync(path, backup);
  expect(await restoredIn(path)).toBeUndefined();
  age(backup, HOUR);
  copyFileSync(backup, path);
  expect(await restoredIn(path)).toEqual({ first: null });
});

it("goes for every account of the file, is written down, and is concluded once", async () => {
  const path = join(folder(), "ledger.db");
  await restoredIn(path, "u");
  await restoredIn(path, "v");
  age(path, HOUR);
  expect(await restoredIn(path, "u")).toEqual({ first: null });
  expect(await restoredIn(path, "v")).toEqual({ first: null });
  const ledger = opened(path);
  await ledger.decide("v a", (draft) => {
    const { restored: _, ...row } = draft.account;
    draft.putAccount(row);
  });
  ledger.close();
  expect(await restoredIn(path, "v")).toBeUndefined();
});

it.each(["ledger", "account"])(
  "is not hidden by what a wrong clock once wrote to the table %s",
  async (table) => {
    const path = join(folder(), "ledger.db");
    await restoredIn(path);
    age(path, HOUR);
    const db = new DatabaseSync(path);
    db.exec(`UPDATE ${table} SET written = written + ${100 * HOUR}`);
    db.close();
    expect(await restoredIn(path)).toEqual({ first: null });
  },
);

it.each(["ledger", "account"])(
  "is no conclusion where the table %s says that fleetkeeper wrote last",
  async (table) => {
    const path = join(folder(), "ledger.db");
    await restoredIn(path);
    age(path, HOUR);
    const db = new DatabaseSync(path);
    db.exec(`UPDATE ${table} SET written = written + ${HOUR}`);
    db.close();
    expect(await restoredIn(path)).toBeUndefined();
  },
);

it("is no conclusion from an older version's file, which says nothing of when it was written", async () => {
  const path = join(folder(), "ledger.db");
  await restoredIn(path);
  const db = new DatabaseSync(path);
  db.exec("UPDATE ledger SET written = NULL; UPDATE account SET written = NULL");
  db.close();
  expect(await restoredIn(path)).toBeUndefined();
});

it("is no conclusion from a file that only a new version of fleetkeeper changed, and no migration hides one", async () => {
  const path = join(folder(), "ledger.db");
  await restoredIn(path);
  for (const [ago, stamped] of [
    [25_000, true],
    [HOUR, false],
  ] as const) {
    const before = Date.now() - ago;
    const old = new DatabaseSync(path);
    old.exec(`${undo("intent")} ${undo("deployment")} ${undo("slot")} ${undo("fleet")} ${undo("cooldown")}
      CREATE INDEX intent_account ON intent (account); ALTER TABLE account DROP COLUMN written; ALTER TABLE ledger DROP COLUMN version; ALTER TABLE ledger DROP COLUMN cleared;
      ALTER TABLE ledger DROP COLUMN needs; DROP TABLE market; DROP TABLE sample; UPDATE ledger SET written = ${before}; PRAGMA user_version = 3`);
    old.close();
    const ledger = opened(path);
    // Closing changes the file, maybe long after the migration.
    age(path, stamped ? 10_000 : 0);
    ledger.close();
    const migrated = new DatabaseSync(path);
    const { written, needs } = migrated.prepare("SELECT written, needs FROM ledger").get() ?? {};
    migrated.close();
    expect({ needs, stamped: Number(written) > before + 20_000 }).toEqual({ needs: 6, stamped });
  }
  expect(await restoredIn(path)).toEqual({ first: null });
});

it("is concluded by one of two processes that open it at the same time", async () => {
  const path = join(folder(), "ledger.db");
  await restoredIn(path);
  age(path, HOUR);
  const [one, other] = [opened(path), opened(path)];
  const key = await one.openAccount({ baseUrl: "u", account });
  await one.decide(key, (draft) => {
    const { restored: _, ...row } = draft.account;
    draft.putAccount(row);
  });
  await other.openAccount({ baseUrl: "u", account });
  expect((await other.read(key)).account.restored).toBeUndefined();
  for (const ledger of [one, other]) ledger.close();
});

/** A restored ledger whose first transaction was rolled back. */
async function rolledBack() {
  const path = join(folder(), "ledger.db");
  await restoredIn(path);
  age(path, HOUR);
  const ledger = opened(path);
  const failed = ledger.decide("u a", () => {
    throw new Error("rolled back");
  });
  await expect(failed).rejects.toThrow("rolled back");
  return { path, ledger };
}

it("is concluded by the next start where the first transaction failed: its close must not hide it", async () => {
  const { path, ledger } = await rolledBack();
  ledger.close();
  expect(await restoredIn(path)).toEqual({ first: null });
});

it("is concluded again where the first transaction was rolled back", async () => {
  const { ledger } = await rolledBack();
  const key = await ledger.openAccount({ baseUrl: "u", account });
  expect((await ledger.read(key)).account.restored).toEqual({ first: null });
  ledger.close();
});

it("is no conclusion from what a killed process left: who only reads moves it into the file, and says when", async () => {
  const path = join(folder(), "ledger.db");
  await restoredIn(path);
  const module = pathToFileURL(join(import.meta.dirname, "../../ledger/sqlite/sqlite-ledger.ts")).href;
  const killed = spawnSync(process.execPath, [
    "--input-type=module",
    "--eval",
    `const { openSqliteLedger } = await import(${JSON.stringify(module)});
     const ledger = openSqliteLedger({ path: ${JSON.stringify(path)}, newId: "killed000000", now: 1 });
     await ledger.openAccount({ baseUrl: "v", account: ${JSON.stringify(account)} });
     process.kill(process.pid, "SIGKILL");`,
  ]);
  expect(killed.signal).toBe("SIGKILL");
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  const { written } = writtenIn(path);
  const reader = opened(path);
  expect(await reader.accounts()).toHaveLength(2);
  reader.close();
  // What is copied now, or replaced by a backup, is the whole ledger.
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(writtenIn(path).written).toBeGreaterThan(written);
  const copy = join(folder(), "copy.db");
  copyFileSync(path, copy);
  const other = opened(copy);
  expect(await other.accounts()).toHaveLength(2);
  other.close();
  expect(await restoredIn(path, "w")).toBeUndefined();
});

/** Reads beside the WAL, and leaves it where it is. */
function writtenIn(path: string): { readonly written: number } {
  const db = new DatabaseSync(path, { readOnly: true });
  const found = db.prepare("SELECT max(written) AS written FROM ledger").get();
  db.close();
  return { written: Number(found?.written) };
}
