import { subscribe } from "node:diagnostics_channel";
import { flushCompileCache } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * Loaded into a process of ours by --import: kills that very process, as nothing else could be more sudden, at the moment
 * that KILL_AT names, such as "after commit 7". Commits that store nothing are not counted, nor are requests that only read:
 * a process that is killed there leaves behind what it leaves a moment earlier.
 *
 * Whoever has a channel to the process may name another moment. From there it is counted anew, and the answer is what was
 * counted so far.
 */
type Moment = "before commit" | "after commit" | "before request" | "after request" | "at answer";

let killAt = process.env.KILL_AT;
let passed: Partial<Record<Moment, number>> = {};

function pass(moment: Moment): void {
  const count = (passed[moment] ?? 0) + 1;
  passed[moment] = count;
  if (`${moment} ${count}` === killAt) process.kill(process.pid, "SIGKILL");
}

process.on("message", (next: string) => {
  process.send?.(passed);
  passed = {};
  killAt = next;
  // At its end it has no time for that.
  flushCompileCache();
});
process.channel?.unref();

let stores = false;
/** Runs one statement, which may be the commit of a transaction that stores something. */
function watched<T>(sql: string, execute: () => T): T {
  const commits = sql === "COMMIT" && stores;
  if (commits) pass("before commit");
  const result = execute();
  if (commits) pass("after commit");
  if (sql.startsWith("BEGIN") || sql === "COMMIT" || sql === "ROLLBACK") stores = false;
  return result;
}
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  watched(sql, () => exec.call(this, sql));
};
const { run, get } = StatementSync.prototype;
StatementSync.prototype.run = function (this: StatementSync, ...values: readonly unknown[]) {
  const result: ReturnType<typeof run> = watched(this.sourceSQL, () => Reflect.apply(run, this, values));
  stores ||= Number(result.changes) > 0 && !BOUNDS.test(this.sourceSQL);
  return result;
};
// What changes a row and returns it.
StatementSync.prototype.get = function (this: StatementSync, ...values: readonly unknown[]) {
  const result: ReturnType<typeof get> = Reflect.apply(get, this, values);
  stores ||= this.sourceSQL.includes("RETURNING");
  return result;
};
/** After these SQLite still says how many rows the statement before them changed. */
const BOUNDS = /^(BEGIN|COMMIT|ROLLBACK)/;

/** `sendHeaders` comes before the first byte, and `bodySent` when the kernel has the last one. */
const MOMENTS = {
  "undici:client:sendHeaders": "before request",
  "undici:request:bodySent": "after request",
  "undici:request:headers": "at answer",
} as const;
for (const [channel, moment] of Object.entries(MOMENTS)) {
  subscribe(channel, (message) => {
    const { request } = message as { request: { method: string } };
    if (request.method !== "GET") pass(moment);
  });
}
