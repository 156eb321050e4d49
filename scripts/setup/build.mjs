import { chmodSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { root, workFolder } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";
import { filesUnder, hashOfFiles, readStamp, writeStamp } from "./stamp.mjs";

const dist = path.join(root, "dist");
const stamp = path.join(workFolder, "build.json");

/**
 * Of which sources dist/bundle, dist/types and dist/man were made: a hash, or nothing where a build did not come to its end.
 * @typedef {{ bundle?: string, types?: string, man?: string }} Built
 */

/**
 * Makes sure that dist/ is not older than the sources. If nobody reads types, only the bundle is made, without a
 * check: that takes a second, and the whole build 8 s.
 * @param {import("./node.mjs").Node} node
 * @param {{ declarations?: boolean }} [options] whether somebody will read the .d.ts files
 */
export async function build(node, { declarations = true } = {}) {
  const sources = filesUnder(root, [...rooms(), "tsconfig.json", "package.json", "scripts/setup"]);
  const hash = hashOfFiles(root, sources);
  const start = Date.now();
  // The types first: what does not pass the compiler is not bundled.
  const made = declarations ? [await make("types", hash, (folder) => types(node, folder))] : [];
  made.push(await make("bundle", hash, (folder) => bundle(node, folder)));
  // People read it in what was packed or installed.
  if (declarations) made.push(await make("man", hash, (folder) => man(node, folder)));
  linkCommands();
  if (made.includes(true)) say(`built dist/ in ${since(start)}`);
}

/**
 * npx looks for a command here, in each folder upwards. At the top of the clone it takes package.json's, but not from a
 * folder with a package.json of its own, such as an example. npm would make the links if dist/ were there before it.
 */
function linkCommands() {
  const folder = path.join(root, "node_modules", ".bin");
  for (const [name, command] of Object.entries(manifest().bin)) {
    const link = path.join(folder, name);
    if (!existsSync(link)) {
      rmSync(link, { force: true });
      symlinkSync(path.relative(folder, path.join(root, command)), link);
    }
  }
}

/**
 * Makes a folder of dist/ anew, if it is not of these sources, and replaces it in one step: a process may be
 * reading the old one. A build that fails leaves the last good one, one that is interrupted leaves no stamp.
 * @param {keyof Built} name
 * @param {string} hash
 * @param {(folder: string) => Promise<void>} into
 * @returns {Promise<boolean>} whether it was made
 */
async function make(name, hash, into) {
  const folder = path.join(dist, name);
  const { [name]: built, ...others } = existsSync(folder) ? readBuilt() : {};
  if (built === hash) return false;
  writeStamp(stamp, JSON.stringify(others));
  const fresh = `${folder}.new.${process.pid}`;
  const old = `${folder}.old.${process.pid}`;
  try {
    await into(fresh);
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(fresh, folder);
  } finally {
    for (const each of [fresh, old]) rmSync(each, { recursive: true, force: true });
  }
  writeStamp(stamp, JSON.stringify({ ...others, [name]: hash }));
  return true;
}

/** @returns {Built} */
function readBuilt() {
  try {
    return JSON.parse(readStamp(stamp) ?? "");
  } catch {
    return {};
  }
}

/**
 * The declarations that the package's entries lead to. The compiler checks all of the sources on the way.
 * @param {import("./node.mjs").Node} node
 * @param {string} folder
 */
async function types(node, folder) {
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
  await run(node, "tsc", [tsc, "-p", "tsconfig.json", "--outDir", folder, "--pretty", "false"]);
  const entries = Object.values(manifest().exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [path.join(folder, path.relative("dist/types", entry.types))],
  );
  const needed = declarationsFrom(entries);
  for (const file of filesUnder(folder, ["."]).map((each) => path.join(folder, each)))
    if (!needed.has(file)) rmSync(file);
}

/**
 * These files and all that they import, by their paths.
 * @param {readonly string[]} entries
 */
function declarationsFrom(entries) {
  /** @type {Set<string>} */
  const found = new Set(entries);
  // A set that grows is gone through to its new end.
  for (const file of found)
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+)"/g))
      found.add(path.join(path.dirname(file), name.replace(/\.ts$/, ".d.ts")));
  return found;
}

/**
 * All that runs, in few files.
 * @param {import("./node.mjs").Node} node
 * @param {string} folder
 */
async function bundle(node, folder) {
  await run(node, "rolldown", [path.join(root, "scripts", "setup", "bundle.mjs"), folder]);
  // npm does this for an installed package; here the clone is the package.
  for (const command of Object.values(manifest().bin))
    chmodSync(path.join(folder, path.relative("dist/bundle", command)), 0o755);
}

/**
 * The man page.
 * @param {import("./node.mjs").Node} node
 * @param {string} folder
 */
async function man(node, folder) {
  await run(node, "man", [path.join(root, "scripts", "setup", "man.mjs"), folder]);
}

/**
 * @param {import("./node.mjs").Node} node
 * @param {string} tool
 * @param {string[]} args
 */
async function run(node, tool, args) {
  const log = path.join(workFolder, `${tool}.log`);
  const { ok, lastLines } = await runLogged(node.path, args, { cwd: root, log });
  if (!ok) throw new SetupError(`${tool} failed:\n${lastLines.join("\n")}`);
}

/** The folders that tsconfig.json builds. They are hashed. @returns {string[]} */
function rooms() {
  return readJson("tsconfig.json").include;
}

/** @returns {{ bin: Record<string, string>, exports: Record<string, string | { types: string }> }} */
function manifest() {
  return readJson("package.json");
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), "utf8"));
}
