import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { readDraft } from "../../ledger/read-draft.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { ARCHIVED, archive, fill } from "./archive-contract.ts";
import { folder } from "./folder.ts";

const open = (path: string) => openSqliteLedger({ path, newId: "archivearchive00", now: 1 });

function write(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

async function seenBy(ledger: ReturnType<typeof open>, key: string) {
  const draft = await readDraft({ ledger, account: key });
  return {
    deployments: [...draft.deployments.values()],
    intents: [...draft.intents.keys()],
    archived: [...draft.archive.ids()].sort(),
    spent: draft.archive.spent("fleet:web").toFixed(),
    losses: draft.archive.losses(),
  };
}

/** Two processes with one file, both of which have read it. */
async function two() {
  const path = join(folder(), "ledger.db");
  const [one, other] = [open(path), open(path)];
  const key = await fill(one);
  await archive(one, key, "m1");
  await other.read(key);
  return { path, one, other, key };
}

describe("what one process archives or brings back", () => {
  it("the other sees, as it would if it had only begun", async () => {
    const { path, one, other, key } = await two();
    const steps = [
      () => archive(one, key, "m2"),
      () => one.decide(key, (draft) => draft.recall("m1")),
      () => archive(other, key, "m3"),
      () => other.decide(key, (draft) => draft.recall("m3")),
      async () => {
        await archive(one, key, "m1");
        await one.decide(key, (draft) => draft.recall("m1"));
        await archive(one, key, "m1");
      },
    ];
    for (const step of steps) {
      await step();
      const fresh = open(path);
      const expected = await seenBy(fresh, key);
      fresh.close();
      expect(await seenBy(one, key)).toEqual(expected);
      expect(await seenBy(other, key)).toEqual(expected);
    }
    expect((await seenBy(one, key)).archived).toEqual(["m1", "m2"]);
    one.close();
    other.close();
  });
});

describe("a program that knows no archive", () => {
  it.each([
    ["machine", "UPDATE deployment SET row = json_set(row, '$.seen', json('true')) WHERE id = 'm1'"],
    ["launch", "UPDATE intent SET row = json_set(row, '$.detail', 'changed') WHERE id = 'i1'"],
    [
      "machine, and lets it go",
      "UPDATE deployment SET row = json_set(row, '$.intent', NULL, '$.owner', NULL, '$.claim', NULL, '$.claimed', NULL) WHERE id = 'm1'",
    ],
    [
      "launch, and looks for it again",
      "UPDATE intent SET row = json_set(row, '$.deployment', NULL, '$.state', 'absent') WHERE id = 'i1'",
    ],
  ])("brings a pair back when it changes the %s", async (_what, sql) => {
    const { path, one, other, key } = await two();
    write(path, sql);
    const seen = await seenBy(one, key);
    expect(seen).toMatchObject({ archived: [], spent: "0", losses: [] });
    expect(seen.deployments.map(({ id }) => id)).toEqual(["m1", "m2", "m3", "m4"]);
    expect(seen.intents).toEqual(["i1", "i2", "i3", "i4"]);
    one.close();
    other.close();
  });

  it("sees all rows as before", async () => {
    const { path, one, other } = await two();
    const db = new DatabaseSync(path);
    expect(db.prepare("SELECT id FROM deployment WHERE account = 'u anne'").all()).toHaveLength(4);
    db.close();
    one.close();
    other.close();
  });
});

describe("a damaged archive", () => {
  it.each([
    ["what is kept of a machine is no JSON", "UPDATE deployment SET archived = '{' WHERE id = 'm1'"],
    [
      "a sum is no number",
      `UPDATE deployment SET archived = '${JSON.stringify({ ...ARCHIVED, spent: { 1: "x" } })}' WHERE id = 'm1'`,
    ],
    [
      "an owner is no text",
      `UPDATE deployment SET archived = '${JSON.stringify({ ...ARCHIVED, owner: 7 })}' WHERE id = 'm1'`,
    ],
  ])("is no reason to launch: %s", async (_what, sql) => {
    const { path, one, other, key } = await two();
    one.close();
    other.close();
    write(path, sql);
    const ledger = open(path);
    await expect(ledger.read(key)).rejects.toMatchObject({ code: "LEDGER" });
    ledger.close();
  });

  it("and a ledger that is closed are told as such", async () => {
    const { one, other, key } = await two();
    const draft = await readDraft({ ledger: one, account: key });
    one.close();
    other.close();
    expect(() => draft.deployments.ever("m1")).toThrow(expect.objectContaining({ code: "LEDGER" }));
  });

  it("is no reason to take a lost row for a new machine", async () => {
    const { path, one, other, key } = await two();
    const draft = await readDraft({ ledger: one, account: key });
    write(path, "PRAGMA foreign_keys = OFF; DELETE FROM deployment WHERE id = 'm1'");
    expect(() => draft.deployments.ever("m1")).toThrow(/damaged.*m1/);
    one.close();
    other.close();
  });
});

it("a backup that somebody restores into an open ledger is seen, too, where the last that was written brought a machine back", async () => {
  const { path, one, other, key } = await two();
  other.close();
  const before = versionOf(path);
  await one.decide(key, (draft) => draft.recall("m1"));
  write(
    path,
    `UPDATE ledger SET version = ${before}, written = written - 3600000; UPDATE account SET written = written - 3600000`,
  );
  await one.decide(key, () => undefined);
  expect((await one.read(key)).account.restored).toEqual({ first: null });
  one.close();
});

function versionOf(path: string): number {
  const db = new DatabaseSync(path);
  const found = db.prepare("SELECT version FROM ledger").get();
  db.close();
  return Number(found?.version);
}
