import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";

/** Installs the dependencies, exactly those of package-lock.json. */
export async function installDependencies() {
  if (isInstalled(root)) return;

  const env = withoutOwnBin(process.env);
  if ((await outputOf("npm", ["--version"], { env, cwd: root })) === undefined) {
    throw new SetupError(
      "npm is not on the PATH. Install Node with npm (https://nodejs.org), then run this again.",
    );
  }
  const start = Date.now();
  say("installing the dependencies (npm ci, about half a minute) ...");
  // Not into node_modules: npm ci first deletes it.
  const log = path.join(root, ".fleetkeeper", "npm-ci.log");
  const { ok, lastLines } = await runLogged("npm", npmCi, { cwd: root, env, log });
  if (!ok || !isInstalled(root)) {
    throw new SetupError(
      `npm ci failed:\n${withoutEngineWarnings(lastLines).join("\n")}\nThe whole output is in ${path.relative(root, log)}.`,
    );
  }
  say(`dependencies installed in ${since(start)}`);
}

// A user's npm settings, or NODE_ENV=production, would change what is installed: so all is said here. npm
// must not refuse Node 20: it only runs this script, all else runs on the packaged Node.
const npmCi = [
  "ci",
  "--include=dev",
  "--include=optional",
  "--engine-strict=false",
  "--no-audit",
  "--no-fund",
];

/**
 * Whether node_modules holds what package-lock.json asks for, by npm's own record. An `npm install` by hand
 * counts, too. An interrupted one does not: npm writes the record last.
 * @param {string} folder
 */
export function isInstalled(folder) {
  const wanted = packagesOf(path.join(folder, "package-lock.json"));
  const present = packagesOf(path.join(folder, "node_modules", ".package-lock.json"));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === "") return true;
    const found = present[name];
    // Builds for other platforms are optional, and absent here.
    if (!found) return entry.optional === true || entry.devOptional === true;
    return (
      found.version === entry.version && found.integrity === entry.integrity && found.link === entry.link
    );
  });
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean,
 *   devOptional?: boolean }} Locked
 * @param {string} lockFile
 * @returns {Record<string, Locked> | undefined}
 */
function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, "utf8")).packages;
  } catch {
    return undefined;
  }
}

/**
 * `npm run` puts node_modules/.bin first on the PATH, and its Node is what npm ci is about to delete.
 * @param {NodeJS.ProcessEnv} env
 */
export function withoutOwnBin(env) {
  const modules = path.join(root, "node_modules") + path.sep;
  const kept = (env.PATH ?? "").split(path.delimiter).filter((entry) => !entry.startsWith(modules));
  return { ...env, PATH: kept.join(path.delimiter) };
}

/**
 * Under Node 20 half of the packages warn that they want a newer one. They get it: the warnings mislead.
 * @param {string[]} lines
 */
function withoutEngineWarnings(lines) {
  return lines.filter((line) => !line.startsWith("npm warn EBADENGINE"));
}
