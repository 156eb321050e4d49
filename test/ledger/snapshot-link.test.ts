import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { snapshot } from "../../ledger/sqlite/snapshot.ts";

test("a snapshot through a link has what is still in the WAL", () => {
  const folder = mkdtempSync(join(tmpdir(), "snapshot-"));
  const [file, link, copy] = ["ledger.db", "link.db", "copy.db"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const written = new DatabaseSync(file);
  onTestFinished(() => {
    written.close();
    rmSync(folder, { recursive: true });
  });
  written.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7);");
  symlinkSync(file, link);
  snapshot(link, copy);
  const read = new DatabaseSync(copy);
  expect(read.prepare("SELECT a FROM t").all()).toEqual([{ a: 7 }]);
  read.close();
});
