import { join } from "node:path";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { archiveContract } from "./archive-contract.ts";
import { ledgerContract } from "./contract.ts";
import { folder } from "./folder.ts";
import { historyContract } from "./history-contract.ts";
import { leaseContract } from "./lease-contract.ts";
import { marketContract } from "./market-contract.ts";
import { sampleContract } from "./sample-contract.ts";
import { soundContract } from "./sound-contract.ts";

ledgerContract("a SQLite file", () =>
  openSqliteLedger({ path: join(folder(), "ledger.db"), newId: "ledger0000", now: 1 }),
);
ledgerContract("SQLite in memory", () => openSqliteLedger({ path: ":memory:", newId: "ledger0000", now: 1 }));
ledgerContract("the ledger of the proof and of tests, in memory", () => new MemoryLedger());

historyContract("history in a SQLite file", () =>
  openSqliteLedger({ path: join(folder(), "ledger.db"), newId: "ledger0000", now: 1 }),
);
historyContract("history of the ledger of the proof and of tests, in memory", () => new MemoryLedger());

marketContract("a market in a SQLite file", () =>
  openSqliteLedger({ path: join(folder(), "ledger.db"), newId: "ledger0000", now: 1 }),
);
marketContract("a market of the ledger of the proof and of tests, in memory", () => new MemoryLedger());

sampleContract("samples of a market in a SQLite file", () =>
  openSqliteLedger({ path: join(folder(), "ledger.db"), newId: "ledger0000", now: 1 }),
);
sampleContract(
  "samples of a market in the ledger of the proof and of tests, in memory",
  () => new MemoryLedger(),
);

archiveContract("archived machines in a SQLite file", () =>
  openSqliteLedger({ path: join(folder(), "ledger.db"), newId: "ledger0000", now: 1 }),
);
archiveContract(
  "archived machines in the ledger of the proof and of tests, in memory",
  () => new MemoryLedger(),
);

soundContract("what must hold, in a SQLite file", () =>
  openSqliteLedger({ path: join(folder(), "ledger.db"), newId: "ledger0000", now: 1 }),
);
soundContract("what must hold, in the ledger of the proof and of tests", () => new MemoryLedger());

leaseContract("leases of the ledger of the proof and of tests, in memory", async () => {
  let now = 0;
  const ledger = new MemoryLedger("memoryledger", () => now);
  return {
    ledger,
    expire: async () => {
      now += 1_000_000;
    },
    restore: async (lease) => ledger.restoreLease(lease),
  };
});
