import { existsSync } from "node:fs";
import path from "node:path";
import { versionOf } from "./engine-version.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";

/** @typedef {import("./engine.mjs").Engine} Engine */

/**
 * The version of the official npm package `pulumi`: a few kB that download the engine of the same version, with its
 * language hosts, when first run. Fixed, so that two machines test the same thing.
 */
const version = "3.265.0";

/** Long enough for some 150 MB on a slow line; a blocked one usually fails within seconds. */
const timeoutMs = 240_000;

/**
 * The package keeps the engine in `$PULUMI_HOME/versions`; with a home of its own it touches nothing of the user's.
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
  const { home, pulumi } = placesIn(cache);
  const start = Date.now();
  say(`no pulumi on the PATH: downloading it by the npm package pulumi@${version} ...`);
  const log = path.join(cache, "pulumi-from-npm.log");
  const installed = await runLogged(
    "npm",
    ["install", "--prefix", home, "--no-save", "--no-audit", "--no-fund", `pulumi@${version}`],
    { env, log, timeoutMs },
  );
  if (!installed.ok) return { failed: `the npm package pulumi@${version} cannot be installed (${log})` };

  const run = path.join(home, "node_modules", "pulumi", "run.js");
  const { ok, timedOut, lastLines } = await runLogged(process.execPath, [run, "version"], {
    env: { ...env, PULUMI_HOME: home, PULUMI_VERSION: version, PULUMI_SKIP_UPDATE_CHECK: "1" },
    log,
    timeoutMs,
  });
  const found = ok ? await outputOf(pulumi, ["version"], { env }) : undefined;
  if (!found) {
    const why = timedOut ? `gave up after ${timeoutMs / 1000} s` : (lastLines.at(-1) ?? "no output");
    return { failed: `the official download of pulumi ${version} does not work here (${why})` };
  }
  say(`downloaded pulumi ${found} in ${since(start)}`);
  return { pulumi, version: found, from: `downloaded by the npm package pulumi` };
}
