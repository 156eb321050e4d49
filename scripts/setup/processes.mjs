import { execFile, spawn } from "node:child_process";
import { createWriteStream, mkdirSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";

/**
 * What a short command prints; undefined if it cannot be run or fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, timeoutMs?: number }} [options]
 * @returns {Promise<string | undefined>}
 */
export function outputOf(command, args, { env = process.env, cwd, timeoutMs = 20_000 } = {}) {
  return new Promise((resolve) => {
    execFile(command, args, { env, cwd, timeout: timeoutMs }, (error, stdout) =>
      resolve(error ? undefined : stdout.trim()),
    );
  });
}

/**
 * Runs a long command whose output matters only if it fails. The output goes into a log file; the last lines
 * are kept for the error message.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {object} options
 * @param {string} options.log file for the whole output
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.cwd]
 * @param {number} [options.timeoutMs] after which the command and all it started are killed
 * @param {(line: string) => void} [options.onLine]
 * @returns {Promise<{ ok: boolean, timedOut: boolean, lastLines: string[] }>}
 */
export async function runLogged(command, args, { log, env = process.env, cwd, timeoutMs, onLine }) {
  mkdirSync(path.dirname(log), { recursive: true });
  const file = createWriteStream(log);
  /** @type {string[]} */
  const lastLines = [];
  let timedOut = false;

  // A process group of its own: what an installer starts (a shell, curl) then ends with it.
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const killGroup = () => {
    try {
      process.kill(-(/** @type {number} */ (child.pid)), "SIGKILL");
    } catch {
      // It ended by itself.
    }
  };
  const timer = timeoutMs
    ? setTimeout(() => {
        timedOut = true;
        killGroup();
      }, timeoutMs)
    : undefined;
  // In its own group it does not get Ctrl-C: so it is killed when we end.
  process.on("exit", killGroup);

  const keep = (/** @type {string} */ line) => {
    file.write(`${line}\n`);
    lastLines.push(line);
    if (lastLines.length > 30) lastLines.shift();
    onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) createInterface(stream).on("line", keep);

  const ok = await new Promise((resolve) => {
    child.on("error", (error) => {
      keep(error.message);
      resolve(false);
    });
    child.on("close", (code) => resolve(code === 0));
  });
  clearTimeout(timer);
  process.off("exit", killGroup);
  await new Promise((resolve) => file.end(resolve));
  return { ok, timedOut, lastLines };
}
