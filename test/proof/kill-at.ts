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
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
  const commits = sql === "COMMIT" && stores;
  if (commits) pass("before commit");
  exec.call(this, sql);
  if (commits) pass("after commit");
  // Within a transaction; those that only read execute nothing else.
  stores = this.isTransaction && !sql.startsWith("BEGIN");
};
const { run } = StatementSync.prototype;
StatementSync.prototype.run = function (this: StatementSync, ...values: readonly unknown[]) {
  const result: ReturnType<typeof run> = Reflect.apply(run, this, values);
  stores ||= Number(result.changes) > 0;
  return result;
};

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
