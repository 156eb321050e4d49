import { DatabaseSync } from "node:sqlite";

/**
 * Loaded before the agent by --import: kills this very process, as nothing else could be more sudden, right before or right
 * after its n-th commit. KILL_AT is such as "7 before".
 */
const [at = "", side = ""] = (process.env.KILL_AT ?? "").split(" ");
const { exec } = DatabaseSync.prototype;
let commits = 0;
/** What only reads commits nothing. */
let writes = false;

DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  if (sql.startsWith("BEGIN")) writes = sql === "BEGIN IMMEDIATE";
  const isCommit = sql === "COMMIT" && writes;
  if (isCommit) commits += 1;
  const now = isCommit && commits === Number(at);
  if (now && side === "before") process.kill(process.pid, "SIGKILL");
  exec.call(this, sql);
  if (now && side === "after") process.kill(process.pid, "SIGKILL");
};
