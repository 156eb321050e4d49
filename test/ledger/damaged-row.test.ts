import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { asLedgerError } from "../../ledger/sqlite/trouble.ts";
import { intentAsFound } from "../support/as-found.ts";
import { ANNE, AT, intentOf } from "./contract.ts";
import { folder } from "./folder.ts";

/** A ledger with a launch and a slot, one of whose rows is then written anew by this SQL. */
async function damagedBy(sql: string): Promise<Error> {
  const path = join(folder(), "ledger.db");
  const first = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
  const key = await first.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  await first.decide(key, (draft) => {
    intentAsFound(draft, intentOf("i1"));
    draft.putSlot({ id: "s1", name: "web", created: AT, closing: false });
  });
  first.close();
  const db = new DatabaseSync(path);
  expect(db.prepare(sql).run().changes, sql).toBe(1);
  db.close();
  const ledger = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
  try {
    await ledger.read(key);
  } catch (error) {
    return error as Error;
  } finally {
    ledger.close();
  }
  throw new Error(`not found out: ${sql}`);
}

test("a fleet's wish that is none is damage, and no mistake of the program", () => {
  expect(() => parseWish({ gpus: null })).toThrow(
    expect.objectContaining({
      code: "LEDGER",
      message: expect.stringContaining("in a fleet's wish, gpus: "),
    }),
  );
});

test("what SQLite quotes of a damaged file is shown in no way that a terminal obeys", () => {
  const quoted = Object.assign(new Error("malformed database schema (\u001b[2J)"), {
    code: "ERR_SQLITE_ERROR",
  });
  const { message } = asLedgerError(quoted, "ledger.db");
  expect(message).toContain("malformed database schema (\\u001b[2J)");
});

test("a row that is nested too deep to be written again is damage", async () => {
  const deep = `${"[".repeat(60_000)}${"]".repeat(60_000)}`;
  const sql = `UPDATE account SET row = '{"x":${deep},' || substr(row, 2)`;
  expect(await damagedBy(sql)).toMatchObject({
    code: "LEDGER",
    message: expect.stringContaining("a row of the table account cannot be read"),
  });
});

test.each([
  ["UPDATE intent SET row = 'null'", "in a row of the table intent, the row itself"],
  ["UPDATE intent SET row = '[]'", "in a row of the table intent, the row itself"],
  ["UPDATE intent SET row = '{}'", "in a row of the table intent, offer"],
  ["UPDATE intent SET row = json_set(row, '$.stamped', null)", "table intent, stamped"],
  ["UPDATE intent SET row = json_set(row, '$.stamped.mono', 'x')", "table intent, stamped.mono"],
  ["UPDATE intent SET row = json_remove(row, '$.sender.pid')", "table intent, sender.pid"],
  ["UPDATE intent SET row = json_set(row, '$.settle', 7)", "table intent, settle"],
  ["UPDATE intent SET row = json_remove(row, '$.parameters')", "table intent, parameters"],
  ["UPDATE intent SET row = json_set(row, '$.parameters', 7)", "table intent, parameters"],
  ["UPDATE slot SET row = json_set(row, '$.created', 7)", "table slot, created"],
  ["UPDATE slot SET row = json_set(row, '$.closing', 'no')", "table slot, closing"],
  ["UPDATE account SET row = json_set(row, '$.profiles', null)", "table account, profiles"],
  ["UPDATE account SET row = json_remove(row, '$.doubt')", "table account, doubt"],
  ["UPDATE account SET row = json_set(row, '$.sequence', '7')", "table account, sequence"],
  ["UPDATE account SET row = 'x'", "a row of the table account cannot be read"],
])("%s: the sentence names the table and the field", async (sql, what) => {
  expect(await damagedBy(sql)).toMatchObject({
    code: "LEDGER",
    message: expect.stringContaining(what),
  });
});
