import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { versionOf } from "./engine-version.mjs";
import { runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";

/** @typedef {import("./engine.mjs").Engine} Engine */

/**
 * The version of the official npm package `pulumi`: a few kB. When it first runs, it downloads the engine of
 * its version, with the language hosts. The version is fixed: two machines then test the same engine.
 */
const version = "3.265.0";

/** Enough for some 150 MB on a slow line. A blocked line usually fails within seconds. */
const timeoutMs = 240_000;

/** A network that drops packets costs the whole timeout: so a failed download is not tried at each run. */
const pauseMinutes = 10;

/**
 * The package keeps the engine in `$PULUMI_HOME/versions`. Its own home keeps it off the user's files.
 * @param {string} cache
 */
function placesIn(cache) {
  const home = path.join(cache, "pulumi-from-npm");
  return { home, pulumi: path.join(home, "versions", version, "bin", "pulumi") };
}

/**
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Engine | undefined>}
 */
export async function downloadedEngine(cache, env) {
  const { pulumi } = placesIn(cache);
  const found = existsSync(pulumi) && (await versionOf(pulumi, env));
  return found ? { pulumi, version: found, from: "downloaded earlier by the npm package pulumi" } : undefined;
}

/**
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Engine | { failed: string }>}
 */
export async function downloadEngine(cache, env) {
  const lastFailure = path.join(cache, "pulumi-from-npm.failed");
  if (isRecent(lastFailure)) {
    return {
      failed: `the official download of pulumi ${version} failed less than ${pauseMinutes} minutes ago`,
    };
  }
  const start = Date.now();
  say(`no pulumi on the PATH: downloading it by the npm package pulumi@${version} ...`);
  const result = await download(cache, env);
  mkdirSync(cache, { recursive: true });
  if ("failed" in result) {
    writeFileSync(lastFailure, `${result.failed}\n`);
  } else {
    rmSync(lastFailure, { force: true });
    say(`downloaded pulumi ${result.version} in ${since(start)}`);
  }
  return result;
}

/**
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Engine | { failed: string }>}
 */
async function download(cache, env) {
  const { home, pulumi } = placesIn(cache);
  const log = path.join(cache, "pulumi-from-npm.log");
  const npmInstall = [
    "install",
    "--prefix",
    home,
    "--no-save",
    "--no-audit",
    "--no-fund",
    `pulumi@${version}`,
  ];
  const installed = await runLogged("npm", npmInstall, { env, log, timeoutMs });
  if (!installed.ok) return { failed: `the npm package pulumi@${version} cannot be installed (${log})` };

  const run = path.join(home, "node_modules", "pulumi", "run.js");
  const { ok, timedOut, lastLines } = await runLogged(process.execPath, [run, "version"], {
    env: { ...env, PULUMI_HOME: home, PULUMI_VERSION: version, PULUMI_SKIP_UPDATE_CHECK: "1" },
    log,
    timeoutMs,
  });
  const found = ok ? await versionOf(pulumi, env) : undefined;
  if (found) return { pulumi, version: found, from: "downloaded by the npm package pulumi" };
  const why = timedOut ? `gave up after ${timeoutMs / 1000} s` : (lastLines.at(-1) ?? "no output");
  return { failed: `the official download of pulumi ${version} does not work here (${why})` };
}

/** @param {string} file */
function isRecent(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < pauseMinutes * 60_000;
}
