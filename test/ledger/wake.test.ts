import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { waking } from "../../launch/mark-wake.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { ANNE } from "./contract.ts";
import { folder } from "./folder.ts";
import { change, sleeper, wakeContract } from "./wake-contract.ts";

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

it("wakes who waits in the process that decides at once, as what-if needs in its own time", async () => {
  const ledger = openSqliteLedger({ path: ":memory:", newId: "ledger0000", now: 1 });
  onTestFinished(() => ledger.close());
  const account = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  const on = await sleeper(ledger, account);
  await ledger.decide(account, waking(change));
  expect(on.wakes).toBe(1);
});
