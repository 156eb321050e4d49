import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { ANNE, AT } from "./contract.ts";
import { folder } from "./folder.ts";

const open = (path: string, type = 0xef53): void =>
  openSqliteLedger({ path, newId: "ledger0000", now: 1, fileSystemOf: () => type }).close();

function failure(path: string): Error & { code?: string } {
  try {
    open(path);
  } catch (error) {
    return error as Error;
  }
  throw new Error("it was opened");
}

/** A ledger with a few pages of rows. */
async function ledgerIn(home: string): Promise<string> {
  const path = join(home, "ledger.db");
  const ledger = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
  const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  await ledger.decide(key, (draft) => {
    for (let index = 0; index < 300; index++) {
      const text = `event ${index} ${"x".repeat(200)}`;
      draft.note({ at: AT.wall, kind: "launch", owner: null, deployment: null, text });
    }
  });
  ledger.close();
  return path;
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

describe("a file that is not this version's ledger", () => {
  it.each<[string, RegExp, (path: string) => void | Promise<void>]>([
    [
      "a newer ledger",
      /version 99.*not touched.*newer one/,
      async (path) => {
        copyFileSync(await ledgerIn(folder()), path);
        change(path, "PRAGMA user_version = 99; UPDATE ledger SET needs = 99");
      },
    ],
    [
      "a stranger's database",
      /not a fleetkeeper ledger/,
      (path) => change(path, "CREATE TABLE mine (a); INSERT INTO mine VALUES (1)"),
    ],
    [
      "a stranger's database in WAL mode",
      /not a fleetkeeper ledger/,
      (path) => change(path, "PRAGMA journal_mode = WAL; CREATE TABLE mine (a)"),
    ],
    [
      "a stranger's database without tables yet",
      /not a fleetkeeper ledger/,
      (path) => change(path, "PRAGMA user_version = 3"),
    ],
    ["no database", /not a ledger/, (path) => writeFileSync(path, "fleets:\n  web: 8\n")],
    ["a few bytes", /not a ledger/, (path) => writeFileSync(path, "x")],
  ])("is refused and not touched: %s", async (_what, message, make) => {
    const home = folder();
    const path = join(home, "file.db");
    await make(path);
    const before = readFileSync(path);
    const error = failure(path);
    expect(error).toMatchObject({ code: "LEDGER", message: expect.stringMatching(message) });
    expect(error.message).toContain(path);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(home)).toEqual(["file.db"]);
  });

  it("is refused and not touched while its owner uses it in WAL mode", () => {
    const path = join(folder(), "file.db");
    const owner = new DatabaseSync(path);
    owner.exec("PRAGMA journal_mode = WAL; CREATE TABLE mine (a); INSERT INTO mine VALUES (1)");
    const before = [readFileSync(path), readFileSync(`${path}-wal`)];
    expect(failure(path).message).toContain("not a fleetkeeper ledger");
    expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
    owner.close();
  });

  it("control: an empty file, and a database with nothing in it, become ledgers", () => {
    const home = folder();
    writeFileSync(join(home, "empty.db"), "");
    new DatabaseSync(join(home, "fresh.db")).close();
    for (const name of ["empty.db", "fresh.db"]) open(join(home, name));
    expect(readdirSync(home)).toEqual(["empty.db", "fresh.db"]);
  });
});

/** As the SIGKILL of a process leaves it: what `change` did last stands in the WAL alone. */
async function killed(change: (db: DatabaseSync) => void): Promise<string> {
  const source = await ledgerIn(folder());
  const path = join(folder(), "ledger.db");
  const owner = new DatabaseSync(source);
  owner.exec("PRAGMA journal_mode = WAL");
  change(owner);
  copyFileSync(source, path);
  copyFileSync(`${source}-wal`, `${path}-wal`);
  owner.close();
  return path;
}

describe("a ledger that a killed process left with a WAL", () => {
  const unchanged = (path: string, message: RegExp): void => {
    const before = [readFileSync(path), readFileSync(`${path}-wal`)];
    expect(failure(path)).toMatchObject({ code: "LEDGER", message: expect.stringMatching(message) });
    expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
  };

  it("is not touched where its newer version stands in the WAL alone", async () => {
    unchanged(
      await killed((db) => db.exec("PRAGMA user_version = 99; UPDATE ledger SET needs = 99")),
      /version 99.*not touched/,
    );
  });

  it("is not touched where it is damaged", async () => {
    const path = await killed((db) => db.exec("UPDATE account SET row = row"));
    const bytes = readFileSync(path);
    bytes.fill(0x5a, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8_192);
    writeFileSync(path, bytes);
    unchanged(path, /damaged|malformed/);
  });

  it("control: goes on with what the WAL holds", async () => {
    const path = await killed((db) =>
      db.exec("UPDATE account SET row = json_set(row, '$.email', 'new@example.com')"),
    );
    const ledger = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
    expect(await ledger.accounts()).toMatchObject([{ email: "new@example.com" }]);
    ledger.close();
  });
});

describe("a damaged ledger", () => {
  it("is said to be damaged", async () => {
    const path = await ledgerIn(folder());
    const bytes = readFileSync(path);
    bytes.fill(0x5a, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 8_192);
    writeFileSync(path, bytes);
    expect(failure(path)).toMatchObject({
      code: "LEDGER",
      message: expect.stringMatching(/damaged|malformed/),
    });
  });

  it("is found out when it was cut short", async () => {
    const path = await ledgerIn(folder());
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, bytes.length / 2));
    expect(failure(path)).toMatchObject({ code: "LEDGER" });
  });

  it("is found out when it has lost its id, or a row", async () => {
    const path = await ledgerIn(folder());
    const other = join(folder(), "ledger.db");
    copyFileSync(path, other);
    change(path, "DELETE FROM ledger");
    expect(failure(path).message).toContain("damaged");
    change(other, "UPDATE account SET row = '{\"key\":'");
    const ledger = openSqliteLedger({ path: other, newId: "ledger0000", now: 1 });
    await expect(ledger.accounts()).rejects.toMatchObject({
      code: "LEDGER",
      message: expect.stringContaining("damaged"),
    });
    ledger.close();
  });
});

it.each([
  ["NFS", 0x6969],
  ["SMB 2, as a signed number", 0xfe534d42 | 0],
  ["9P", 0x01021997],
  ["FUSE", 0x65735546],
  ["Ceph", 0x00c36400],
])("is refused on a network file system, before anything is made: %s", (_name, type) => {
  const home = folder();
  const path = join(home, "ledger.db");
  expect(() => open(path, type)).toThrow(/network file system.*local disk/);
  expect(readdirSync(home)).toEqual([]);
  expect(() => open(path)).not.toThrow();
});

it("is a LEDGER error where a folder or a file stands in the way", () => {
  const home = folder();
  mkdirSync(join(home, "ledger.db"));
  writeFileSync(join(home, "file"), "");
  expect(failure(join(home, "ledger.db")).code).toBe("LEDGER");
  expect(failure(join(home, "file", "ledger.db")).code).toBe("LEDGER");
});

// Root may write everywhere: then the child gives its rights up first.
describe.skipIf(process.platform === "win32")("without the right to write", () => {
  const script = new URL("./open-as.ts", import.meta.url).pathname;
  const openAsNobody = (path: string): { code: number | null; said: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, path], { encoding: "utf8" });
    return { code: status, said: stdout + stderr };
  };
  const nobody = 65_534;
  const mine = (path: string, mode: number): void => {
    if (process.getuid?.() === 0) chownSync(path, nobody, nobody);
    chmodSync(path, mode);
  };

  it("is a LEDGER error in a folder that is read-only", () => {
    const home = folder();
    mine(home, 0o555);
    const { code, said } = openAsNobody(join(home, "ledger.db"));
    expect(said).toContain("LEDGER");
    expect(code).toBe(1);
    expect(existsSync(join(home, "ledger.db"))).toBe(false);
  });

  it("is a LEDGER error for a file that is read-only: nothing could be written first", async () => {
    const home = folder();
    const path = await ledgerIn(home);
    mine(home, 0o755);
    mine(path, 0o444);
    const { code, said } = openAsNobody(path);
    expect(said).toContain("LEDGER");
    expect(code).toBe(1);
  });

  it("control: with the right it is opened", async () => {
    const home = folder();
    const path = await ledgerIn(home);
    mine(home, 0o755);
    mine(path, 0o644);
    expect(openAsNobody(path)).toEqual({ code: 0, said: "opened\n" });
  });
});
