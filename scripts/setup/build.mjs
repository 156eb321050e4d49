import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { root, workFolder } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";
import { filesUnder, hashOfFiles, readStamp, writeStamp } from "./stamp.mjs";

const dist = path.join(root, "dist");
const stamp = path.join(workFolder, "build.stamp");

/**
 * dist/, by tsc, when a source changed. Built beside and renamed into place: what was removed from the sources is gone
 * from dist/ too, and a failed build leaves the last good one.
 * @param {import("./node.mjs").Node} node
 */
export async function build(node) {
  const rooms = sourceFolders();
  const sources = filesUnder(root, [...rooms, "tsconfig.json", "package.json"]);
  const wanted = hashOfFiles(root, sources);
  if (existsSync(dist) && readStamp(stamp) === wanted) return;

  const start = Date.now();
  const fresh = path.join(root, `dist.new.${process.pid}`);
  const old = path.join(root, `dist.old.${process.pid}`);
  try {
    const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
    const args = [tsc, "-p", "tsconfig.json", "--outDir", fresh, "--pretty", "false"];
    const log = path.join(workFolder, "build.log");
    const { ok, lastLines } = await runLogged(node.path, args, { cwd: root, log });
    if (!ok) throw new SetupError(`tsc failed:\n${lastLines.join("\n")}`);

    for (const file of sources.filter((name) => rooms.some((room) => isAsset(room, name)))) {
      mkdirSync(path.dirname(path.join(fresh, file)), { recursive: true });
      copyFileSync(path.join(root, file), path.join(fresh, file));
    }
    makeCommandsExecutable(fresh);
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
  writeStamp(stamp, wanted);
  say(`built dist/ in ${since(start)}`);
}

/** What tsconfig.json builds is what is hashed. @returns {string[]} */
function sourceFolders() {
  return JSON.parse(readFileSync(path.join(root, "tsconfig.json"), "utf8")).include;
}

/**
 * SQL, YAML, HTML and the like: tsc leaves them behind, and the code reads them from beside itself.
 * @param {string} room
 * @param {string} file
 */
function isAsset(room, file) {
  return file.startsWith(room + path.sep) && !/\.(ts|md)$/.test(file);
}

/** npm does this for an installed package; here the clone is the package. @param {string} folder */
function makeCommandsExecutable(folder) {
  /** @type {{ bin?: Record<string, string> }} */
  const { bin = {} } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  for (const command of Object.values(bin)) {
    const built = path.join(folder, path.relative("dist", command));
    if (existsSync(built)) chmodSync(built, 0o755);
  }
}
