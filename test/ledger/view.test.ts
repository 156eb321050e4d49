import { join } from "node:path";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { REPEATS } from "../support/repeats.ts";
import { folder } from "./folder.ts";
import { viewContract } from "./view-contract.ts";

viewContract(
  "a SQLite file",
  async () => {
    const path = join(folder(), "ledger.db");
    return () => openSqliteLedger({ path, newId: "viewviewviewview", now: 1 });
  },
  { seeds: [2, 3, 4], options: REPEATS },
);
