import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** A virtual environment with what programs in Python need: `npm test` makes it, and says where in the environment. */
export const python: string | undefined = process.env.FLEETKEEPER_PYTHON;

/** Installs sdk/python as pip does, into a folder that Python looks into. From a copy: pip builds where the sources are. */
export function installSdk(folder: string): string {
  const sources = `${folder}-sources`;
  cpSync(path.join(root, "sdk/python"), sources, { recursive: true });
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  const offline = ["--no-deps", "--no-build-isolation", "--target", folder];
  execFileSync(path.join(python!, "bin/python"), [...pip, ...offline, sources]);
  return folder;
}
