import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The clone. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Stamps and logs of the set-up. They go with node_modules, as they should. */
export const workFolder = path.join(root, "node_modules", ".cache", "fleetkeeper");

/**
 * The Pulumi engine's folder, outside the tree: the next clone finds it.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function cacheFolder(env = process.env) {
  if (env.FLEETKEEPER_CACHE) return path.resolve(env.FLEETKEEPER_CACHE);
  const caches = env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), ".cache");
  return path.join(caches, "fleetkeeper");
}
