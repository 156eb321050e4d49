import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, workFolder } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";
import { filesUnder, hashOfFiles, readStamp, writeStamp } from "./stamp.mjs";

const dist = path.join(root, "dist");
const stamp = path.join(workFolder, "build.json");
/** With more changed files, the whole build is as fast. */
const mostChanged = 30;

/**
 * The hash of each file that dist/ was built from. `declarations`: whether its .d.ts files are as new.
 * @typedef {{ declarations: boolean, files: Record<string, string> }} Built
 */

/**
 * Makes sure that dist/ is not older than the sources. If nobody reads types, only the changed files are
 * translated, without a check: that takes a second, and the whole build 8 s.
 * @param {import("./node.mjs").Node} node
 * @param {{ declarations?: boolean }} [options] whether somebody will read the .d.ts files
 */
export async function build(node, { declarations = true } = {}) {
  const rooms = sourceFolders();
  const bundler = path.join("scripts", "setup", "bundle.mjs");
  const sources = filesUnder(root, [...rooms, "tsconfig.json", "package.json", bundler]);
  const files = Object.fromEntries(sources.map((file) => [file, hashOfFiles(root, [file])]));
  const built = existsSync(dist) ? readBuilt() : undefined;
  const changed = changedFiles(built, files);
  if (built && changed.length === 0 && (built.declarations || !declarations)) return;

  const start = Date.now();
  // A build that is interrupted leaves no stamp: the next one builds everything.
  rmSync(stamp, { force: true });
  const isSmall = changed.length <= mostChanged && changed.every((file) => isIn(rooms, file));
  if (built && isSmall && !declarations) {
    await translate(node, changed);
    writeStamp(stamp, JSON.stringify({ declarations: false, files }));
    say(`built ${changed.length} changed files of dist/ in ${since(start)}`);
    return;
  }
  await buildAll(
    node,
    sources.filter((file) => isIn(rooms, file)),
  );
  writeStamp(stamp, JSON.stringify({ declarations: true, files }));
  say(`built dist/ in ${since(start)}`);
}

/**
 * The files that were edited, added or removed since the build.
 * @param {Built | undefined} built
 * @param {Record<string, string>} files
 */
export function changedFiles(built, files) {
  const before = built?.files ?? {};
  return [...new Set([...Object.keys(before), ...Object.keys(files)])].filter(
    (file) => before[file] !== files[file],
  );
}

/** @returns {Built | undefined} */
function readBuilt() {
  try {
    return JSON.parse(readStamp(stamp) ?? "");
  } catch {
    return undefined;
  }
}

/**
 * Builds into a new folder and renames it. So a file that was removed from the sources is gone from dist/,
 * too, and a failed build leaves the last good one.
 * @param {import("./node.mjs").Node} node
 * @param {string[]} sources
 */
async function buildAll(node, sources) {
  const fresh = path.join(root, `dist.new.${process.pid}`);
  const old = path.join(root, `dist.old.${process.pid}`);
  try {
    const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
    const args = [tsc, "-p", "tsconfig.json", "--outDir", fresh, "--pretty", "false"];
    const log = path.join(workFolder, "build.log");
    const { ok, lastLines } = await runLogged(node.path, args, { cwd: root, log });
    if (!ok) throw new SetupError(`tsc failed:\n${lastLines.join("\n")}`);

    for (const file of sources.filter(isAsset)) copyInto(fresh, file);
    await bundle(node, path.join(fresh, "bundle"));
    makeCommandsExecutable(fresh);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The command line and the provider, in few files.
 * @param {import("./node.mjs").Node} node
 * @param {string} folder
 */
async function bundle(node, folder) {
  const log = path.join(workFolder, "bundle.log");
  const args = [path.join(root, "scripts", "setup", "bundle.mjs"), folder];
  const { ok, lastLines } = await runLogged(node.path, args, { cwd: root, log });
  if (!ok) throw new SetupError(`rolldown failed:\n${lastLines.join("\n")}`);
}

/**
 * Translates only the changed files, each as tsc would, and bundles anew.
 * @param {import("./node.mjs").Node} node
 * @param {string[]} files
 */
async function translate(node, files) {
  const { default: ts } = await import("typescript");
  const { compilerOptions } = readJson("tsconfig.json");
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  for (const file of files) {
    const target = file.replace(/\.ts$/, ".js");
    if (!existsSync(path.join(root, file))) {
      for (const name of [target, `${target}.map`]) rmSync(path.join(dist, name), { force: true });
    } else if (isAsset(file)) copyInto(dist, file);
    else if (file.endsWith(".ts")) {
      const compilerOptions = { ...options, declaration: false, module: ts.ModuleKind.ESNext };
      delete compilerOptions.declarationMap;
      const text = readFileSync(path.join(root, file), "utf8");
      const { outputText, sourceMapText = "" } = ts.transpileModule(text, {
        fileName: file,
        compilerOptions,
      });
      const folder = path.relative(path.dirname(path.join(dist, file)), root);
      const map = { ...JSON.parse(sourceMapText), sources: [path.join(folder, file)], sourceRoot: "" };
      writeInto(dist, target, outputText);
      writeInto(dist, `${target}.map`, JSON.stringify(map));
    }
  }
  const bundled = path.join(dist, "bundle");
  const fresh = `${bundled}.new.${process.pid}`;
  const old = `${bundled}.old.${process.pid}`;
  await bundle(node, fresh);
  renameSync(bundled, old);
  renameSync(fresh, bundled);
  rmSync(old, { recursive: true });
  makeCommandsExecutable(dist);
}

/**
 * Replaces the file in one step: a process may be reading the old one.
 * @param {string} folder
 * @param {string} file
 * @param {string | Uint8Array} content
 */
function writeInto(folder, file, content) {
  const target = path.join(folder, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(`${target}.${process.pid}`, content);
  renameSync(`${target}.${process.pid}`, target);
}

/** @param {string} folder @param {string} file */
function copyInto(folder, file) {
  writeInto(folder, file, readFileSync(path.join(root, file)));
}

/** The folders that tsconfig.json builds. They are hashed. @returns {string[]} */
function sourceFolders() {
  return readJson("tsconfig.json").include;
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), "utf8"));
}

/** @param {string[]} rooms @param {string} file */
function isIn(rooms, file) {
  return rooms.some((room) => file.startsWith(room + path.sep));
}

/**
 * Whether tsc leaves the file behind (SQL, YAML, HTML and the like). The code reads it from beside itself.
 * @param {string} file
 */
function isAsset(file) {
  return !/\.(ts|md)$/.test(file);
}

/** npm does this for an installed package; here the clone is the package. @param {string} folder */
function makeCommandsExecutable(folder) {
  /** @type {{ bin?: Record<string, string> }} */
  const { bin = {} } = readJson("package.json");
  for (const command of Object.values(bin)) {
    const built = path.join(folder, path.relative("dist", command));
    if (existsSync(built)) chmodSync(built, 0o755);
  }
}
