import { join } from "node:path";
import { onTestFinished } from "vitest";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { folder } from "./folder.ts";
import { wakeContract } from "./wake-contract.ts";

wakeContract("who waits in a SQLite file", async () => {
  const path = join(folder(), "ledger.db");
  return async () => {
    const ledger = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
    onTestFinished(() => ledger.close());
    return ledger;
  };
});
wakeContract("who waits in SQLite in memory", async () => {
  const ledger = openSqliteLedger({ path: ":memory:", newId: "ledger0000", now: 1 });
  onTestFinished(() => ledger.close());
  return async () => ledger;
});
wakeContract("who waits in the ledger of the proof and of tests, in memory", async () => {
  const ledger = new MemoryLedger();
  return async () => ledger;
});
