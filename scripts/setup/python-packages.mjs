import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onPath } from "./engine-version.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder, root } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { hashOfFiles } from "./stamp.mjs";

const MOST_MS = 5 * 60_000;

/**
 * A virtual environment of Python in the cache, with the packages of a requirements file.
 * @param {object} options
 * @param {string} options.name of its folder and its log
 * @param {string} options.what for people
 * @param {string} options.requirements relative to the clone
 * @param {NodeJS.ProcessEnv} options.env
 * @param {boolean} options.mayInstall
 * @returns {Promise<{ folder: string, missing?: string }>} the folder, and why there is nothing in it
 */
export async function pythonPackages({ name, what, requirements, env, mayInstall }) {
  const cache = cacheFolder(env);
  const folder = path.join(cache, `${name}-${hashOfFiles(root, [requirements]).slice(0, 16)}`);
  const mark = path.join(folder, "whole");
  if (existsSync(mark)) return { folder };
  if (!mayInstall) return { folder, missing: `${what}: not installed yet` };
  if (!(await onPath("python3", env))) return { folder, missing: `${what} need python3` };
  const onWait = () => say(`another run is installing ${what}: waiting for it ...`);
  return withLock(path.join(cache, `${name}.lock`), { onWait }, async () => {
    // Another run may have installed them while we waited.
    if (existsSync(mark)) return { folder };
    const start = Date.now();
    say(`installing ${what} ...`);
    const log = path.join(cache, `${name}.log`);
    /** @param {string} command @param {string[]} args */
    const run = async (command, ...args) => {
      const timeoutMs = Math.max(1, start + MOST_MS - Date.now());
      return (await runLogged(command, args, { log, env, timeoutMs })).ok;
    };
    // It cannot be moved, so it is made at its place. One that is not whole lacks the mark.
    rmSync(folder, { recursive: true, force: true });
    const install = ["-m", "pip", "install", "--only-binary", ":all:", "-r", path.join(root, requirements)];
    if (
      (await run("python3", "-m", "venv", folder)) &&
      (await run(path.join(folder, "bin", "python"), ...install))
    ) {
      writeFileSync(mark, "");
      say(`installed in ${since(start)}`);
      return { folder };
    }
    return { folder, missing: `${what} could not be installed: see ${log}` };
  });
}
