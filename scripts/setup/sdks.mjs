import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { goEnvironment } from "./go-program.mjs";
import { root } from "./paths.mjs";
import { outputOf, runLogged } from "./processes.mjs";
import { amendments } from "./sdk-amendments.mjs";
import { SetupError } from "./setup-error.mjs";

/** The languages of sdk/. */
export const sdks = /** @type {const} */ (["go", "python"]);

/** What stands beside the generated files. */
export const handwritten = ["README.md", "go.mod", "go.sum"];

/** @param {string} language */
export const sdkFolder = (language) => path.join(root, "sdk", language);

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
 * Writes a language's SDK of provider/plugin/schema.json into a folder.
 * @param {(typeof sdks)[number]} language
 * @param {string} folder
 * @param {NodeJS.ProcessEnv} env
 */
export async function writeSdk(language, folder, env) {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const schema = path.join(root, "provider", "plugin", "schema.json");
  const work = mkdtempSync(path.join(tmpdir(), "fleetkeeper-sdk-"));
  const generator = path.join(work, "sdk");
  const log = path.join(root, ".fleetkeeper", "sdk.log");
  mkdirSync(path.dirname(log), { recursive: true });
  /** @param {string} command @param {string[]} args */
  const run = async (command, ...args) => {
    const { ok, lastLines } = await runLogged(command, args, { log, cwd: recipe, env: goEnvironment(env) });
    if (!ok) throw new SetupError(`${command} failed: ${lastLines.at(-1) ?? "no output"} (${log})`);
  };
  try {
    // With the engine's flags: what its build has compiled is not compiled again.
    const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
    await run("go", "build", ...flags, "-o", generator, "./sdk");
    await run(generator, language, schema, version, folder);
    amend(language, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * @param {(typeof sdks)[number]} language
 * @param {string} folder
 */
function amend(language, folder) {
  for (const { file, content, changes = [] } of amendments[language]) {
    const place = path.join(folder, file);
    let text = content ?? readFileSync(place, "utf8");
    for (const [where, what] of changes) {
      if (text.search(where) < 0)
        throw new SetupError(`${file}: the generator does not write ${where} any more`);
      text = text.replace(where, what);
    }
    writeFileSync(place, text);
  }
}
