import { mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { outputOf, runLogged } from "./processes.mjs";
import { say, since } from "./say.mjs";

const neededGo = [1, 25];

/**
 * Builds a program of a Go module, by its committed checksums alone.
 * @param {object} options
 * @param {string} options.what for people
 * @param {string} options.takes how long, for people
 * @param {string} options.recipe the module's folder
 * @param {string} options.command the program's package
 * @param {string} [options.ldflags]
 * @param {string} options.output the file
 * @param {string} options.log
 * @param {NodeJS.ProcessEnv} options.env
 * @returns {Promise<{ failed: string } | undefined>}
 */
export async function buildGoProgram({ what, takes, recipe, command, ldflags = "", output, log, env }) {
  const go = await outputOf("go", ["env", "GOVERSION"], { env, cwd: recipe });
  if (go === undefined) return { failed: "no Go to build it with" };
  if (!isNewEnough(go)) return { failed: `${go} is too old to build it (needs ${neededGo.join(".")})` };

  const start = Date.now();
  say(`building ${what} with ${go}: ${takes} ...`);
  const progress = new Progress();
  const timer = setInterval(() => say(`... ${since(start)}, ${progress}`), 15_000);
  const unfinished = `${output}.${process.pid}`;
  mkdirSync(path.dirname(output), { recursive: true });
  try {
    const flags = ["-v", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", `-s -w ${ldflags}`];
    const { ok, lastLines } = await runLogged("go", ["build", ...flags, "-o", unfinished, command], {
      cwd: recipe,
      env: goEnvironment(env),
      log,
      onLine: (line) => progress.see(line),
    });
    if (!ok) return { failed: `go build of ${what} failed: ${lastLines.at(-1) ?? "no output"} (${log})` };
    // In one step: other runs find a whole program or none.
    renameSync(unfinished, output);
    return undefined;
  } finally {
    clearInterval(timer);
    rmSync(unfinished, { force: true });
  }
}

/**
 * The user's flags (-mod=vendor, a workspace) are for other modules. Without cgo: no C compiler needed.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function goEnvironment(env) {
  return { ...env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" };
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
