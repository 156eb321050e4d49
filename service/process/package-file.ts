import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { getAssetKeys, getRawAsset, isSea } from "node:sea";

/**
 * A file that comes with the package, by its path there. The sources, the bundle and the single-file binary all find
 * it: the binary has it inside (scripts/binary.mjs).
 */
export function packageFile(name: string): Buffer<ArrayBuffer> {
  return isSea() ? Buffer.from(getRawAsset(name)) : readFileSync(packagePath(name));
}

/** Where it can be read by others. A binary writes it to a folder of its own, which goes when the process ends. */
export function packagePath(name: string): string {
  if (!isSea())
    return join(dirname(createRequire(import.meta.url).resolve("fleetkeeper/package.json")), name);
  const path = join(unpacked(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, packageFile(name));
  return path;
}

/** The folders of `profiles/` that have a file of this name. */
export function packageProfilesWith(file: string): readonly string[] {
  if (isSea())
    return getAssetKeys().flatMap((key) => new RegExp(`^profiles/([^/]+)/${file}$`).exec(key)?.[1] ?? []);
  const root = packagePath("profiles");
  return readdirSync(root).filter((name) => existsSync(join(root, name, file)));
}

let folder: string | undefined;

function unpacked(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "fleetkeeper-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}
