import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";
import type { Keeper } from "../../launch/keeper.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { keeperOn, type Stage, stage } from "./stage.ts";

export interface StageOnDisk {
  readonly on: Stage;
  /** Keeps the ledger as it is now. What is returned opens the account by that one, as after a disk that died. */
  backUp(): () => Promise<Keeper>;
}

/** As if the backup were from an hour ago: what stands in it is older than the file itself. */
function madeLongAgo(backup: string): void {
  const db = new DatabaseSync(backup);
  db.exec("UPDATE ledger SET written = written - 3600000; UPDATE account SET written = written - 3600000");
  db.close();
}

/** A stage whose ledger is a file, until the test ends. */
export async function stageOnDisk(): Promise<StageOnDisk> {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-restored-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "ledger.db");
  const on = await stage({ ledger: openSqliteLedger({ path: file, newId: "ledger000000", now: 1 }) });
  return {
    on,
    backUp() {
      const backup = join(folder, "backup.db");
      const db = new DatabaseSync(file);
      db.exec(`VACUUM INTO '${backup}'`);
      db.close();
      madeLongAgo(backup);
      return () => {
        const ledger = openSqliteLedger({ path: backup, newId: "unused000000", now: 1 });
        return keeperOn(on.simulator, on.clock, "plain", "exclusive", ledger);
      };
    },
  };
}
