import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { versionOf } from "./engine-version.mjs";
import { root } from "./paths.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";
import { hashOfFiles } from "./stamp.mjs";

/** @typedef {import("./engine.mjs").Engine} Engine */

/** A Go module. go.mod names the engine as a tool; go.sum's checksums spare any look-up. */
const recipe = path.join(root, "scripts", "engine");
const command = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi";
const neededGo = [1, 25];

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
  const go = await outputOf("go", ["env", "GOVERSION"], { env, cwd: recipe });
  if (go === undefined) return { failed: "no Go to build it with" };
  if (!isNewEnough(go)) return { failed: `${go} is too old to build it (needs ${neededGo.join(".")})` };

  const start = Date.now();
  say(`building the Pulumi engine ${engineVersion()} with ${go}: once, some 4 minutes on 2 cores ...`);
  const progress = new Progress();
  const timer = setInterval(() => say(`... ${since(start)}, ${progress}`), 15_000);
  const pulumi = placeIn(cache);
  const unfinished = `${pulumi}.${process.pid}`;
  mkdirSync(path.dirname(pulumi), { recursive: true });
  try {
    const log = path.join(cache, "pulumi-from-go.log");
    const { ok, lastLines } = await runLogged("go", goBuild(unfinished), {
      cwd: recipe,
      // The user's flags (-mod=vendor, a workspace) are for other modules. Without cgo: no C compiler needed.
      env: { ...env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" },
      log,
      onLine: (line) => progress.see(line),
    });
    if (!ok) return { failed: `go build of the engine failed: ${lastLines.at(-1) ?? "no output"} (${log})` };
    // In one step: other runs find a whole engine or none.
    renameSync(unfinished, pulumi);
  } finally {
    clearInterval(timer);
    rmSync(unfinished, { force: true });
  }
  const version = await versionOf(pulumi, env);
  if (!version) return { failed: "the engine was built but does not run" };
  say(`built pulumi ${version} in ${since(start)}; kept for later clones in ${path.dirname(pulumi)}`);
  return { pulumi, version, from: "built with Go" };
}

/** @param {string} output */
function goBuild(output) {
  const versionVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
  const ldflags = `-s -w -X ${versionVariable}=${engineVersion()}`;
  return [
    "build",
    "-v",
    "-mod=readonly",
    "-trimpath",
    "-buildvcs=false",
    "-ldflags",
    ldflags,
    "-o",
    output,
    command,
  ];
}

/** A folder a version, recipe and platform: two branches do not overwrite engines. @param {string} cache */
function placeIn(cache) {
  const key = hashOfFiles(recipe, ["go.mod", "go.sum"]).slice(0, 8);
  return path.join(cache, `pulumi-${engineVersion()}-${key}-${process.platform}-${process.arch}`, "pulumi");
}

/** The version that go.mod requires: it stands only there. @returns {string} */
function engineVersion() {
  const version = /^\s+github\.com\/pulumi\/pulumi\/pkg\/v3 (v\S+)/m.exec(
    readFileSync(path.join(recipe, "go.mod"), "utf8"),
  )?.[1];
  if (!version) throw new Error("scripts/engine/go.mod does not require github.com/pulumi/pulumi/pkg/v3");
  return version;
}

/** @param {string} goVersion e.g. "go1.26.8" */
function isNewEnough(goVersion) {
  const [major = 0, minor = 0] = goVersion.replace(/^go/, "").split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = neededGo;
  return major > neededMajor || (major === neededMajor && minor >= neededMinor);
}

/** Counts what `go build -v` prints: a module for each download, a package for each compilation. */
class Progress {
  modules = 0;
  packages = 0;

  /** @param {string} line */
  see(line) {
    if (line.startsWith("go: downloading ")) this.modules += 1;
    else this.packages += 1;
  }

  toString() {
    return `${this.modules} modules downloaded, ${this.packages} packages compiled`;
  }
}
