import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";

const scratch = mkdtempSync(join(tmpdir(), "ledger-folder-"));
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

test("the ledger's folder is made with all folders above it", () => {
  const path = join(scratch, "a", "b", "ledger.db");
  openSqliteLedger({ path, newId: "abcdefgh1234", now: 0 }).close();
  expect(existsSync(path)).toBe(true);
});

test.runIf(existsSync("/proc/self"))(
  "a folder that takes none is an error at once, and not a wait for ever",
  () => {
    expect(() =>
      openSqliteLedger({ path: "/proc/fleetkeeper/ledger.db", newId: "abcdefgh1234", now: 0 }),
    ).toThrow(expect.objectContaining({ code: "LEDGER" }));
  },
);

test.runIf(existsSync("/sys/kernel"))(
  "where nothing may be written, the error says what is most often the cause: a volume that is not mounted",
  () => {
    const open = () => openSqliteLedger({ path: "/sys/kernel/ledger/x.db", newId: "abcdefgh1234", now: 0 });
    expect(open).toThrow(/may not write there: mount a volume there, give the folder to that user/);
  },
);
