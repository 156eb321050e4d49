import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { onPath } from "./engine-version.mjs";
import { root } from "./paths.mjs";
import { yamlHost } from "./yaml-host.mjs";

/** @typedef {import("./engine.mjs").Engine} Engine */

/** What Pulumi programs need beside the engine. The official distribution has all of it, and the host of YAML. */
const parts = {
  "pulumi-language-go": path.join(root, "scripts", "language-host", "pulumi-language-go"),
  "pulumi-language-nodejs": path.join(root, "scripts", "language-host", "pulumi-language-nodejs"),
  "pulumi-language-python": path.join(root, "scripts", "language-host", "pulumi-language-python"),
  "pulumi-resource-pulumi-nodejs": path.join(
    root,
    "node_modules",
    "@pulumi",
    "pulumi",
    "pulumi-resource-pulumi-nodejs",
  ),
};

const YAML = "pulumi-language-yaml";

/**
 * The engine as it is, if it is complete. Else a folder of this clone, laid out like the official
 * distribution, with the engine and our parts. (On the PATH they would work, too, but the engine would warn.)
 * @param {Engine} engine
 * @param {{ env?: NodeJS.ProcessEnv, folder?: string }} [options]
 * @returns {Promise<Engine>}
 */
export async function withParts(
  engine,
  { env = process.env, folder = path.join(root, ".fleetkeeper", "engine") } = {},
) {
  const missing = [];
  for (const part of Object.keys(parts)) {
    if (!(await has(engine, part, env))) missing.push(part);
  }
  const yaml = (await has(engine, YAML, env)) ? undefined : await yamlHost(env);
  if (missing.length === 0 && !yaml) return engine;

  mkdirSync(folder, { recursive: true });
  for (const [part, target] of Object.entries(parts)) {
    replace(path.join(folder, part), (file) => symlinkSync(target, file));
  }
  if (yaml) replace(path.join(folder, YAML), (file) => symlinkSync(yaml, file));
  const pulumi = path.join(folder, "pulumi");
  if (!isSameFile(engine.pulumi, pulumi)) replace(pulumi, (file) => linkOrCopy(engine.pulumi, file));
  return { ...engine, pulumi };
}

/**
 * @param {Engine} engine
 * @param {string} part
 * @param {NodeJS.ProcessEnv} env
 */
async function has(engine, part, env) {
  const folders = [engine.pulumi, realpathSync(engine.pulumi)].map((file) => path.dirname(file));
  return (
    folders.some((folder) => existsSync(path.join(folder, part))) || (await onPath(part, env)) !== undefined
  );
}

/**
 * Not a symbolic link: the engine would follow it and look for its parts there.
 * @param {string} from
 * @param {string} to
 */
function linkOrCopy(from, to) {
  try {
    linkSync(realpathSync(from), to);
  } catch {
    copyFileSync(from, to);
  }
}

/**
 * Whether `to` is the same inode, or a later copy.
 * @param {string} from
 * @param {string} to
 */
function isSameFile(from, to) {
  const source = statSync(from);
  const present = statSync(to, { throwIfNoEntry: false });
  if (!present) return false;
  return source.ino === present.ino || (source.size === present.size && source.mtimeMs <= present.mtimeMs);
}

/**
 * Makes a file and moves it into place in one step: another run may be using the old one.
 * @param {string} file
 * @param {(file: string) => void} make
 */
function replace(file, make) {
  const fresh = `${file}.${process.pid}`;
  rmSync(fresh, { force: true });
  make(fresh);
  renameSync(fresh, file);
}
