import path from "node:path";
import { buildEngine, builtEngine } from "./engine-from-go.mjs";
import { downloadEngine, downloadedEngine } from "./engine-from-npm.mjs";
import { onPath, versionOf } from "./engine-version.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder } from "./paths.mjs";
import { say } from "./say.mjs";

/**
 * The Pulumi engine: the `pulumi` command, a Go program that no npm package contains.
 * @typedef {{ pulumi: string, version: string, from: string }} Engine
 *
 * A way to get one. `find` only looks at what is there. `make` may take minutes, and says why it failed.
 * @typedef {object} Way
 * @property {string} name
 * @property {() => Promise<Engine | undefined>} find
 * @property {() => Promise<Engine | { failed: string }>} [make]
 *
 * @typedef {{ engine: Engine, missing?: undefined } | { engine?: undefined, missing: string }} Choice
 */

/**
 * What is installed comes first, then what an earlier run left in the cache. Last come the ways that take
 * time: the official download, then Go.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Way[]}
 */
export function waysToEngine(env = process.env) {
  const cache = cacheFolder(env);
  return [
    { name: "PATH", find: () => engineAt("pulumi", "found on the PATH", env) },
    {
      name: "the npm package pulumi",
      find: () => downloadedEngine(cache, env),
      make: () => downloadEngine(cache, env),
    },
    { name: "Go", find: () => builtEngine(cache, env), make: () => buildEngine(cache, env) },
  ];
}

/**
 * @param {{ env?: NodeJS.ProcessEnv, ways?: Way[] }} [options]
 * @returns {Promise<Choice>}
 */
export async function findEngine({ env = process.env, ways = waysToEngine(env) } = {}) {
  if (env.FLEETKEEPER_PULUMI) {
    const chosen = await engineAt(path.resolve(env.FLEETKEEPER_PULUMI), "chosen by FLEETKEEPER_PULUMI", env);
    return chosen
      ? { engine: chosen }
      : { missing: `FLEETKEEPER_PULUMI=${env.FLEETKEEPER_PULUMI} does not run as the pulumi command` };
  }
  return (await findAny(ways)) ?? (await makeAny(ways, cacheFolder(env)));
}

/** @param {Way[]} ways */
async function findAny(ways) {
  for (const way of ways) {
    const engine = await way.find();
    if (engine) return { engine };
  }
  return undefined;
}

/**
 * @param {Way[]} ways
 * @param {string} cache
 * @returns {Promise<Choice>}
 */
function makeAny(ways, cache) {
  const onWait = () => say("another run is getting the Pulumi engine: waiting for it ...");
  return withLock(path.join(cache, "engine.lock"), { onWait }, async () => {
    // Another run may have made it while we waited.
    const found = await findAny(ways);
    if (found) return found;
    const failures = ["no pulumi on the PATH"];
    for (const way of ways) {
      const made = await way.make?.();
      if (!made) continue;
      if ("pulumi" in made) return { engine: made };
      say(made.failed);
      failures.push(made.failed);
    }
    return { missing: failures.join("; ") };
  });
}

/**
 * @param {string} pulumi a command or a path
 * @param {string} from
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Engine | undefined>}
 */
async function engineAt(pulumi, from, env) {
  const file = path.isAbsolute(pulumi) ? pulumi : await onPath(pulumi, env);
  const version = file && (await versionOf(file, env));
  return file && version ? { pulumi: file, version, from } : undefined;
}
