import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { folder } from "./folder.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** The modes of the ledger's folder, and of its file with what SQLite puts beside it. */
function modes(path: string): readonly string[] {
  const ledger = openSqliteLedger({ path, newId: "abcdefgh1234", now: 0 });
  try {
    return [dirname(path), path, `${path}-wal`, `${path}-shm`].map(modeOf);
  } finally {
    ledger.close();
  }
}

test("what is made for a ledger is nobody else's to read", () => {
  const path = join(folder(), "state", "fleetkeeper", "ledger.db");
  expect(modes(path)).toEqual(["700", "600", "600", "600"]);
  expect(modeOf(dirname(dirname(path)))).toBe("700");
});

test("a folder that is there keeps its mode", () => {
  const path = join(folder(), "shared", "ledger.db");
  mkdirSync(dirname(path));
  chmodSync(dirname(path), 0o755);
  expect(modes(path)).toEqual(["755", "600", "600", "600"]);
});

test("a ledger that is there keeps its mode, as one that a group shares must", () => {
  const path = join(folder(), "fleetkeeper", "ledger.db");
  modes(path);
  chmodSync(path, 0o660);
  expect(modes(path)).toEqual(["700", "660", "660", "660"]);
});

test("an empty file that is there becomes the ledger and keeps its mode", () => {
  const path = join(folder(), "ledger.db");
  writeFileSync(path, "");
  chmodSync(path, 0o640);
  expect(modes(path).slice(1)).toEqual(["640", "640", "640"]);
});
