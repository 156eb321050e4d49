import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { folder } from "./folder.ts";

/** Locks on this file, of all processes, as Linux tells them. */
function locksOn(path: string): number {
  const { ino } = statSync(path);
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => line.includes(`:${ino} `)).length;
}

describe.runIf(existsSync("/proc/locks"))(
  "a ledger that one process opens twice, as pulumi's host does",
  () => {
    it("keeps SQLite's locks: without them the next process that closes it deletes the WAL under this one", () => {
      const path = join(folder(), "ledger.db");
      const open = () => openSqliteLedger({ path, newId: "ledger0000", now: 1 });
      const one = open();
      expect(locksOn(path)).toBe(1);
      const other = open();
      expect(locksOn(path)).toBe(1);
      one.close();
      expect(locksOn(path)).toBe(1);
      other.close();
      expect(locksOn(path)).toBe(0);
      open().close();
      expect(locksOn(path)).toBe(0);
    });
  },
);
