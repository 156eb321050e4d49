import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";

/** The dependencies, exactly as package-lock.json has them. */
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
  // Into the tree's own folder, not node_modules: npm ci begins by deleting that.
  const log = path.join(root, ".fleetkeeper", "npm-ci.log");
  const { ok, lastLines } = await runLogged("npm", npmCi, { cwd: root, env, log });
  if (!ok || !isInstalled(root)) {
    throw new SetupError(
      `npm ci failed:\n${withoutEngineWarnings(lastLines).join("\n")}\nThe whole output is in ${path.relative(root, log)}.`,
    );
  }
  say(`dependencies installed in ${since(start)}`);
}

// Said outright because a user's npm settings, or NODE_ENV=production, would else change what is installed. Node 20
// itself only runs this script: the engine check would refuse it, though everything after this runs on the Node in the
// dependencies.
const npmCi = [
  "ci",
  "--include=dev",
  "--include=optional",
  "--engine-strict=false",
  "--no-audit",
  "--no-fund",
];

/**
 * Whether node_modules holds what package-lock.json asks for, by npm's own record of what it put there. So an `npm
 * install` by hand counts too, and an interrupted one does not: npm writes the record last.
 * @param {string} folder
 */
export function isInstalled(folder) {
  const wanted = packagesOf(path.join(folder, "package-lock.json"));
  const present = packagesOf(path.join(folder, "node_modules", ".package-lock.json"));
  if (!wanted || !present) return false;
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === "") return true;
    const found = present[name];
    // Builds for other platforms are optional and absent.
    if (!found) return entry.optional === true || entry.devOptional === true;
    return (
      found.version === entry.version && found.integrity === entry.integrity && found.link === entry.link
    );
  });
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean, devOptional?: boolean }} Locked
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
 * `npm run` puts node_modules/.bin first, and with it the very Node that npm ci is about to delete.
 * @param {NodeJS.ProcessEnv} env
 */
export function withoutOwnBin(env) {
  const modules = path.join(root, "node_modules") + path.sep;
  const kept = (env.PATH ?? "").split(path.delimiter).filter((entry) => !entry.startsWith(modules));
  return { ...env, PATH: kept.join(path.delimiter) };
}

/**
 * Under Node 20 half of the packages warn that they want a newer one; they get it, so the warnings only hide the error.
 * @param {string[]} lines
 */
function withoutEngineWarnings(lines) {
  return lines.filter((line) => !line.startsWith("npm warn EBADENGINE"));
}
