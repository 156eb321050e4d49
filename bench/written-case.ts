import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { runLoop } from "../agent/reconcile/loop.ts";
import { WakeSignal } from "../agent/reconcile/wake-signal.ts";
import { benchAccount } from "./account.ts";

/*
 * What an agent's rounds write to the disk in an account of this size, in a process of its own.
 *
 *   node bench/written-case.ts RUNNING ENDED
 */

const ROUNDS = 20;

const [running = 0, ended = 0] = process.argv.slice(2).map(Number);
const account = await benchAccount(running, ended);
const { keeper } = account;
const path = keeper.ledger.location;
/** Rounds of the agent's loop, one right after the other. */
async function rounds(count: number): Promise<void> {
  const over = new AbortController();
  const wakeSignal = new WakeSignal();
  let left = count;
  const onTick = (): void => {
    left -= 1;
    if (left === 0) over.abort();
    wakeSignal.ring();
  };
  const onError = (error: Error): never => {
    throw error;
  };
  await runLoop({ keeper, host: "bench", wakeSignal, onTick, onError }, over.signal);
}

/** Bytes in the write-ahead log after so many rounds. It is emptied before them. */
async function written(count: number): Promise<number> {
  const other = new DatabaseSync(path);
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  await rounds(count);
  return statSync(`${path}-wal`).size;
}

await rounds(3);
// What an agent writes when it begins and when it ends is in both.
const bytes = (await written(1 + ROUNDS)) - (await written(1));
await account.close();
process.stdout.write(JSON.stringify(bytes / ROUNDS));
