import path from "node:path";
import { onPath } from "./engine-version.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder } from "./paths.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";

/**
 * A Chromium for the tests of the status page; nothing else needs one.
 * @typedef {{ file: string, version: string, from: string }} Chromium
 * @typedef {{ chromium: Chromium, missing?: undefined } | { chromium?: undefined, missing: string }} Choice
 */

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
/** The most time for all attempts together. */
const MOST_MS = 5 * 60_000;

/**
 * Takes the user's own choice, else one on the PATH, else Debian's package, if apt-get may install it.
 * @param {{ env?: NodeJS.ProcessEnv, mayInstall?: boolean, install?: typeof installFromDebian }} [options]
 * @returns {Promise<Choice>}
 */
export async function findChromium({
  env = process.env,
  mayInstall = true,
  install = installFromDebian,
} = {}) {
  if (env.FLEETKEEPER_CHROMIUM) {
    const chosen = await chromiumAt(env.FLEETKEEPER_CHROMIUM, "chosen by FLEETKEEPER_CHROMIUM", env);
    return chosen
      ? { chromium: chosen }
      : { missing: `FLEETKEEPER_CHROMIUM=${env.FLEETKEEPER_CHROMIUM} does not run` };
  }
  const found = await chromiumOnPath("found on the PATH", env);
  if (found) return { chromium: found };
  const none = "no chromium and no google-chrome on the PATH";
  if (!mayInstall) return { missing: none };
  const failed = await install(env);
  const installed = failed === undefined ? await chromiumOnPath("Debian's package", env) : undefined;
  return installed
    ? { chromium: installed }
    : { missing: `${none}; ${failed ?? "Debian's package does not run"}` };
}

/**
 * @param {string} why
 * @param {boolean} ci
 */
export function noticeOfMissingChromium(why, ci) {
  return [
    `THERE IS NO CHROMIUM HERE: ${why}.`,
    `        The tests of the status page in a browser ${ci ? "fail, because CI is set" : "are skipped, by name"}. To have it, do one of these and run this again:`,
    "        - apt-get install chromium, or put any Chromium or Chrome on the PATH",
    "        - or set FLEETKEEPER_CHROMIUM to where it is",
  ].join("\n");
}

/**
 * @param {string} from
 * @param {NodeJS.ProcessEnv} env
 */
async function chromiumOnPath(from, env) {
  for (const name of NAMES) {
    const found = await chromiumAt(name, from, env);
    if (found) return found;
  }
  return undefined;
}

/**
 * The Chromium of this name, if it runs: on some systems the file only says where to get one.
 * @param {string} command a name or a path
 * @param {string} from
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Chromium | undefined>}
 */
async function chromiumAt(command, from, env) {
  const file = path.isAbsolute(command) ? command : await onPath(command, env);
  const version = file && (await outputOf(file, ["--version"], { env }));
  return file && version && /Chrom/.test(version) ? { file, version, from } : undefined;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} why it failed
 */
async function installFromDebian(env) {
  if (process.getuid?.() !== 0) return "only root may install Debian's package";
  if ((await onPath("apt-get", env)) === undefined) return "no apt-get to install Debian's package with";
  const cache = cacheFolder(env);
  const onWait = () => say("another run is installing chromium: waiting for it ...");
  return withLock(path.join(cache, "chromium.lock"), { onWait }, async () => {
    // Another run may have installed it while we waited.
    if (await chromiumOnPath("", env)) return undefined;
    const start = Date.now();
    say("installing Debian's chromium for the tests of the status page (about a minute) ...");
    const log = path.join(cache, "chromium.log");
    /** @param {string[]} args */
    const apt = (...args) =>
      runLogged("apt-get", args, {
        log,
        env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
        timeoutMs: Math.max(1, start + MOST_MS - Date.now()),
      });
    const install = ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"];
    let { ok } = await apt(...install);
    if (!ok) ok = (await apt("update")).ok && (await apt(...install)).ok;
    if (!ok) return "Debian's package could not be installed";
    say(`chromium installed in ${since(start)}`);
    return undefined;
  });
}
