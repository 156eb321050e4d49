import { execFileSync } from "node:child_process";
import { cpSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import type { World } from "./world.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** A virtual environment with what programs in Python need: `npm test` makes it, and says where in the environment. */
export const python: string | undefined = process.env.FLEETKEEPER_PYTHON;

/** A suite on the real engine and in Python. */
export function describeWithPython(name: string, suite: () => void): void {
  if (python) describeWithEngine(name, suite);
  else describe.skip(`${name} [skipped: Pulumi for Python is not installed]`, suite);
}

/** A program of test/engine/fixtures/python, with the plugin and sdk/python of this tree. */
export async function pythonWorld(): Promise<World> {
  const world = await pluginWorld("python");
  const { folder, env } = world.project;
  symlinkSync(python!, path.join(folder, "venv"));
  env.PYTHONPATH = installSdk(path.join(folder, "packages"));
  env.PYTHONDONTWRITEBYTECODE = "1";
  return world;
}

/** Installs sdk/python as pip does, into a folder that Python looks into. From a copy: pip builds where the sources are. */
export function installSdk(folder: string): string {
  const sources = `${folder}-sources`;
  cpSync(path.join(root, "sdk/python"), sources, { recursive: true });
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
  const offline = ["--no-deps", "--no-build-isolation", "--target", folder];
  execFileSync(path.join(python!, "bin/python"), [...pip, ...offline, sources]);
  return folder;
}
