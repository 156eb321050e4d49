import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { IntentRow } from "../../ledger/rows.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { intentAsFound } from "../support/as-found.ts";
import { ANNE, intentOf } from "./contract.ts";
import { folder } from "./folder.ts";

const open = (path: string) => openSqliteLedger({ path, newId: "ledger0000", now: 1 });

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

function oneOf(path: string, sql: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const [value] = Object.values(db.prepare(sql).get() ?? {});
  db.close();
  return value;
}

async function ledgerIn(path: string): Promise<string> {
  const ledger = open(path);
  const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  await ledger.decide(key, (draft) => intentAsFound(draft, intentOf("i1")));
  ledger.close();
  return key;
}

/** What a program of the future did to it: a table, a column and a field that this one does not know. */
const ADDED = `
  CREATE TABLE tomorrow (what TEXT) STRICT;
  INSERT INTO tomorrow VALUES ('kept');
  ALTER TABLE intent ADD COLUMN colour TEXT DEFAULT 'none';
  UPDATE intent SET colour = 'blue', row = json_set(row, '$.mood', 'good');
  PRAGMA user_version = 99;`;

/** No program could misread it, but one that is older than version 1. */
const FOR_ALL = "UPDATE ledger SET needs = 1;";

describe("a ledger to which a newer fleetkeeper added something", () => {
  it("is used, and what is not known here survives", async () => {
    const path = join(folder(), "ledger.db");
    const key = await ledgerIn(path);
    change(path, ADDED + FOR_ALL);
    const ledger = open(path);
    await ledger.decide(key, (draft) => {
      draft.moveIntent("callAbsent", { ...(draft.intents.ever("i1") as IntentRow), state: "absent" });
      intentAsFound(draft, intentOf("i2"));
    });
    expect((await ledger.read(key)).intents).toMatchObject([{ state: "absent", mood: "good" }, { id: "i2" }]);
    ledger.close();
    expect(oneOf(path, "SELECT what FROM tomorrow")).toBe("kept");
    expect(oneOf(path, "SELECT colour FROM intent WHERE id = 'i1'")).toBe("blue");
    expect(oneOf(path, "SELECT colour FROM intent WHERE id = 'i2'")).toBe("none");
    expect(oneOf(path, "PRAGMA user_version")).toBe(99);
    expect(oneOf(path, "SELECT needs FROM ledger")).toBe(1);
  });

  it.each([
    ["needs a newer program", "UPDATE ledger SET needs = 98;", /version 99.*version 98.*up to 10.*newer one/],
    ["does not say what it needs", "UPDATE ledger SET needs = NULL;", /version 99.*version 99.*up to 10/],
    [
      "has other tables by now",
      "ALTER TABLE ledger RENAME TO book; CREATE TABLE ledger (x);",
      /version 99.*up to 10/,
    ],
  ])("control: is refused where it %s", async (_what, sql, message) => {
    const path = join(folder(), "ledger.db");
    await ledgerIn(path);
    change(path, ADDED + sql);
    expect(() => open(path)).toThrow(expect.objectContaining({ code: "LEDGER" }));
    expect(() => open(path)).toThrow(message);
  });
});

it("a ledger that is changed under a program that has it open is used only as long as that understands it", async () => {
  const path = join(folder(), "ledger.db");
  const key = await ledgerIn(path);
  const ledger = open(path);
  change(path, ADDED + FOR_ALL);
  await ledger.decide(key, (draft) => draft.putAccount({ ...draft.account, sequence: 1 }));
  change(path, "UPDATE ledger SET needs = 99");
  await expect(
    ledger.decide(key, (draft) => draft.putAccount({ ...draft.account, sequence: 2 })),
  ).rejects.toMatchObject({ code: "LEDGER", message: expect.stringMatching(/version 99/) });
  expect((await ledger.read(key)).account.sequence).toBe(1);
  ledger.close();
});
