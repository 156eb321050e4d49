import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { versionOf } from "./engine-version.mjs";
import { buildGoProgram } from "./go-program.mjs";
import { root } from "./paths.mjs";
import { say, since } from "./say.mjs";
import { hashOfFiles } from "./stamp.mjs";

/** @typedef {import("./engine.mjs").Engine} Engine */

/** A Go module. go.mod names the engine as a tool; go.sum's checksums spare any look-up. */
const recipe = path.join(root, "scripts", "engine");
const command = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";

/**
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Engine | undefined>}
 */
export async function builtEngine(cache, env) {
  const pulumi = placeIn(cache);
  const version = existsSync(pulumi) && (await versionOf(pulumi, env));
  return version ? { pulumi, version, from: "built earlier with Go" } : undefined;
}

/**
 * @param {string} cache
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Engine | { failed: string }>}
 */
export async function buildEngine(cache, env) {
  const start = Date.now();
  const pulumi = placeIn(cache);
  const built = await buildGoProgram({
    what: `the Pulumi engine ${engineVersion()}`,
    takes: "once, some 4 minutes on 2 cores",
    recipe,
    command,
    ldflags: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${engineVersion()}`,
    output: pulumi,
    log: path.join(cache, "pulumi-from-go.log"),
    env,
  });
  if (built) return built;
  const version = await versionOf(pulumi, env);
  if (!version) return { failed: "the engine was built but does not run" };
  say(`built pulumi ${version} in ${since(start)}; kept for later clones in ${path.dirname(pulumi)}`);
  return { pulumi, version, from: "built with Go" };
}

/** A folder a version, recipe and platform: two branches do not overwrite engines. @param {string} cache */
function placeIn(cache) {
  const key = hashOfFiles(recipe, ["go.mod", "go.sum"]).slice(0, 8);
  return path.join(cache, `pulumi-${engineVersion()}-${key}-${process.platform}-${process.arch}`, "pulumi");
}

/** The version that go.mod requires: it stands only there. @returns {string} */
function engineVersion() {
  const version = /\sgithub\.com\/pulumi\/pulumi\/pkg\/v3 (v\S+)/.exec(
    readFileSync(path.join(recipe, "go.mod"), "utf8"),
  )?.[1];
  if (!version) throw new Error("scripts/engine/go.mod does not require github.com/pulumi/pulumi/pkg/v3");
  return version;
}
