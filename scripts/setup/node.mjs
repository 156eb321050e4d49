import path from "node:path";
import { withoutOwnBin } from "./install.mjs";
import { root } from "./paths.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { say } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";

/** package.json asks for it: node:sqlite without a flag, and type stripping. */
const neededMajor = 24;

/** @typedef {{ path: string, version: string }} Node */

/**
 * The Node that runs everything but these scripts: FLEETKEEPER_NODE (to try another one), else that of the
 * npm package `node`, else the running one if it is new enough.
 * @returns {Promise<Node>}
 */
export async function findNode(env = process.env) {
  if (env.FLEETKEEPER_NODE) {
    const chosen = await nodeAt(path.resolve(env.FLEETKEEPER_NODE));
    if (chosen) return chosen;
    throw new SetupError(`FLEETKEEPER_NODE=${env.FLEETKEEPER_NODE} is not a Node >= ${neededMajor}.`);
  }
  const packaged = path.join(root, "node_modules", "node", "bin", "node");
  const found = (await nodeAt(packaged)) ?? (await nodeAt(process.execPath));
  if (found) return found;

  // npm may run no install scripts (ignore-scripts, or an allow-list). This package gets Node by its script.
  say(`fetching Node ${neededMajor} (the install script of the npm package "node" has not run) ...`);
  await runLogged("node", ["installArchSpecificPackage.js"], {
    cwd: path.join(root, "node_modules", "node"),
    env: { ...withoutOwnBin(env), npm_config_ignore_scripts: "false" },
    log: path.join(root, ".fleetkeeper", "node-install.log"),
    timeoutMs: 300_000,
  });
  const fetched = await nodeAt(packaged);
  if (fetched) return fetched;
  throw new SetupError(
    `No Node >= ${neededMajor}: this is Node ${process.versions.node}, and the npm package "node" brings none for ` +
      `${process.platform}-${process.arch} here (.fleetkeeper/node-install.log says why). Install Node ${neededMajor} ` +
      "(https://nodejs.org) and run this again.",
  );
}

/** @param {string} file @returns {Promise<Node | undefined>} */
async function nodeAt(file) {
  const version = (await outputOf(file, ["--version"]))?.replace(/^v/, "");
  return version && Number.parseInt(version, 10) >= neededMajor ? { path: file, version } : undefined;
}
