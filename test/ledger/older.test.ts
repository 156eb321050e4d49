import { mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { backupOf } from "../../ledger/sqlite/backup.ts";
import { initial } from "../../ledger/sqlite/migrations/001-initial.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { DEPLOYMENT } from "./contract.ts";
import { folder } from "./folder.ts";

const ACCOUNT = {
  key: "u a",
  baseUrl: "u",
  accountId: "a",
  email: "anne@example.com",
  tenure: "unstated",
  sequence: 0,
  profiles: {},
  list: null,
  doubt: null,
  balance: null,
  agent: null,
};

const AT = { wall: 1, mono: 1, boot: "b" };
const MACHINE = { ...DEPLOYMENT, failureReason: null };
const SLOT = { id: "s1", name: "n", created: AT, closing: false };

it("brings a ledger of the first version up to this one, with all that stands in it", async () => {
  const path = join(folder(), "ledger.db");
  const old = new DatabaseSync(path);
  old.exec(`${initial}
    PRAGMA application_id = ${0x666b_7072};
    PRAGMA user_version = 1;
    INSERT INTO ledger VALUES ('firstversion', 1);
    INSERT INTO account VALUES ('u a', 'u', 'a', '${JSON.stringify(ACCOUNT)}');
    INSERT INTO deployment VALUES ('u a', 'm1', NULL, NULL, '${JSON.stringify(MACHINE)}');
    INSERT INTO slot VALUES ('s1', 'u a', '${JSON.stringify(SLOT)}');`);
  old.close();
  const ledger = openSqliteLedger({ path, newId: "never-used-00", now: 2 });
  expect(ledger.id).toBe("firstversion");
  expect(await ledger.accounts()).toEqual([ACCOUNT]);
  await ledger.putStretch("u a", { at: 1, until: 2, balance: null, perHour: null, fleets: {} }, 0);
  expect(await ledger.stretches("u a", 0)).toHaveLength(1);
  // What others change of it from now on is seen, too.
  expect(await ledger.read("u a")).toMatchObject({ deployments: [MACHINE], slots: [SLOT] });
  const other = new DatabaseSync(path);
  other.exec("UPDATE slot SET row = json_set(row, '$.closing', json('true'))");
  other.close();
  expect(await ledger.read("u a")).toMatchObject({
    deployments: [MACHINE],
    slots: [{ id: "s1", closing: true }],
  });
  ledger.close();
  // As it was, beside it, and for its owner alone.
  const backup = backupOf(path, 1);
  expect(statSync(backup).mode & 0o777).toBe(statSync(path).mode & 0o777);
  const copy = new DatabaseSync(backup, { readOnly: true });
  expect(copy.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
  expect(copy.prepare("SELECT row FROM slot").all()).toEqual([{ row: JSON.stringify(SLOT) }]);
  expect(copy.prepare("SELECT id FROM deployment").all()).toEqual([{ id: "m1" }]);
  copy.close();
  // It is made once. Nothing else is left beside the ledger.
  const { mtimeMs } = statSync(backup);
  openSqliteLedger({ path, newId: "never-used-00", now: 2 }).close();
  expect(statSync(backup).mtimeMs).toBe(mtimeMs);
  expect(readdirSync(dirname(path)).sort()).toEqual([basename(path), basename(backup)]);
});

it("changes nothing of an older ledger of which no copy can be made", () => {
  const path = join(folder(), "ledger.db");
  openSqliteLedger({ path, newId: "firstversion", now: 1 }).close();
  const old = new DatabaseSync(path);
  old.exec("PRAGMA user_version = 7");
  old.close();
  // The name of the copy is taken by a folder.
  mkdirSync(backupOf(path, 7));
  expect(() => openSqliteLedger({ path, newId: "never-used-00", now: 2 })).toThrow(/cannot be used/);
  const left = new DatabaseSync(path, { readOnly: true });
  expect(left.prepare("PRAGMA user_version").get()).toEqual({ user_version: 7 });
  left.close();
  expect(readdirSync(dirname(path)).filter((name) => name.includes("copy"))).toEqual([]);
});
