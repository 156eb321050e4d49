import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * All files under these files and folders, sorted, relative to `base`. A missing one is left out.
 * @param {string} base
 * @param {readonly string[]} names
 * @returns {string[]}
 */
export function filesUnder(base, names) {
  return names
    .flatMap((name) => {
      try {
        return readdirSync(path.join(base, name)).flatMap((entry) =>
          filesUnder(base, [path.join(name, entry)]),
        );
      } catch (error) {
        const { code } = /** @type {NodeJS.ErrnoException} */ (error);
        if (code === "ENOTDIR") return [name];
        if (code === "ENOENT") return [];
        throw error;
      }
    })
    .sort();
}

/**
 * One hash of names and contents: a renamed file is a change, too.
 * @param {string} base
 * @param {readonly string[]} files relative to `base`
 */
export function hashOfFiles(base, files) {
  const hash = createHash("sha256");
  for (const file of files) {
    const content = readFileSync(path.join(base, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/** @param {string} file @returns {string | undefined} */
export function readStamp(file) {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** @param {string} file @param {string} value */
export function writeStamp(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${value}\n`);
}
