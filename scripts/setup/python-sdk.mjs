import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./paths.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { SetupError } from "./setup-error.mjs";

/** The engine's module: its generators are in the same packages, of the same version. */
const recipe = path.join(root, "scripts", "engine");

/**
 * Why the generator cannot be built here in seconds; undefined if it can.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
export async function noGenerator(env) {
  const here = { cwd: recipe, env: { ...goEnvironment(env), GOPROXY: "off" } };
  if ((await outputOf("go", ["env", "GOVERSION"], here)) === undefined) return "no Go";
  const folder = await outputOf(
    "go",
    ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/pkg/v3"],
    here,
  );
  return folder ? undefined : "the engine was not built with Go";
}

/**
 * Writes the Python SDK of provider/plugin/schema.json into an empty folder.
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
export async function writePythonSdk(folder, env) {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const schema = path.join(root, "provider", "plugin", "schema.json");
  const work = mkdtempSync(path.join(tmpdir(), "fleetkeeper-sdk-"));
  const generator = path.join(work, "python-sdk");
  const log = path.join(root, ".fleetkeeper", "python-sdk.log");
  mkdirSync(path.dirname(log), { recursive: true });
  /** @param {string} command @param {string[]} args */
  const run = async (command, ...args) => {
    const { ok, lastLines } = await runLogged(command, args, { log, cwd: recipe, env: goEnvironment(env) });
    if (!ok) throw new SetupError(`${command} failed: ${lastLines.at(-1) ?? "no output"} (${log})`);
  };
  try {
    // With the engine's flags: what its build has compiled is not compiled again.
    const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
    await run("go", "build", ...flags, "-o", generator, "./python-sdk");
    await run(generator, schema, version, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {NodeJS.ProcessEnv} env */
function goEnvironment(env) {
  return { ...env, GOFLAGS: "", GOWORK: "off", CGO_ENABLED: "0" };
}
