import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { folder } from "./folder.ts";

const FILES = "/proc/self/fdinfo";

/**
 * This process's locks on this file, of all its openings of it. /proc/locks would have those of other processes and of files
 * that have the same number elsewhere, and shows a lock twice if another one comes while it is read.
 */
function locksOn(path: string): number {
  const opened = readdirSync(FILES).filter((fd) => linkOf(fd) === path);
  const locks = opened.flatMap((fd) => readFileSync(join(FILES, fd), "utf8").match(/^lock:.*$/gm) ?? []);
  return new Set(locks.map((line) => line.replace(/^lock:\s*\d+:/, ""))).size;
}

/** The folder's own file is gone once it was read. */
function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(join("/proc/self/fd", fd));
  } catch {
    return undefined;
  }
}

describe.runIf(existsSync(FILES))("a ledger that one process opens twice, as pulumi's host does", () => {
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
});
