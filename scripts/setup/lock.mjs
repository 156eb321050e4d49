import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readStamp } from "./stamp.mjs";

const heartbeatMs = 2_000;
const staleMs = 20_000;

/**
 * Runs `work` while no other process does, on this machine or on another that shares the folder.
 *
 * The holder touches the file every 2 s. A file that nobody touched for 20 s belongs to a process that is
 * gone. Two processes that find the same stale lock may both go on. Then the work is done twice, which is
 * safe: all work under a lock here ends in an atomic rename.
 *
 * @template T
 * @param {string} file
 * @param {{ onWait?: () => void }} options called once when the lock is somebody else's
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, { onWait }, work) {
  mkdirSync(path.dirname(file), { recursive: true });
  for (let waited = false; !take(file); ) {
    if (isStale(file)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!waited) onWait?.();
    waited = true;
    await sleep(500);
  }
  const heartbeat = setInterval(() => touch(file), heartbeatMs);
  // Not if another process took the lock over while this machine slept.
  const release = () => {
    if (readStamp(file) === String(process.pid)) rmSync(file, { force: true });
  };
  process.on("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off("exit", release);
    release();
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "EEXIST") return false;
    throw error;
  }
}

/** @param {string} file */
function isStale(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

/** @param {string} file */
function touch(file) {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // Removed by hand, or by npm ci with its folder: the work goes on.
  }
}
