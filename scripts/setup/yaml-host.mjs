import { existsSync } from "node:fs";
import path from "node:path";
import { buildGoProgram } from "./go-program.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder, root } from "./paths.mjs";
import { say } from "./say.mjs";
import { hashOfFiles } from "./stamp.mjs";

/** A module of its own: Pulumi's YAML cannot be compiled with the engine's newer packages. */
const recipe = path.join(root, "scripts", "yaml-host");

/**
 * Pulumi's language host of YAML programs, built with Go for an engine that came without one.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
export async function yamlHost(env) {
  const cache = cacheFolder(env);
  const key = hashOfFiles(recipe, ["go.mod", "go.sum"]).slice(0, 8);
  const output = path.join(
    cache,
    `yaml-host-${key}-${process.platform}-${process.arch}`,
    "pulumi-language-yaml",
  );
  if (existsSync(output)) return output;
  const what = "Pulumi's language host of YAML";
  const onWait = () => say(`another run is building ${what}: waiting for it ...`);
  return withLock(path.join(cache, "yaml-host.lock"), { onWait }, async () => {
    // Another run may have built it while we waited.
    if (existsSync(output)) return output;
    const failure = await buildGoProgram({
      what,
      takes: "once, less than a minute after the engine",
      recipe,
      command: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
      output,
      log: path.join(cache, "yaml-host.log"),
      env,
    });
    if (!failure) return output;
    say(`${what}: ${failure.failed}. Programs in YAML do not run here.`);
    return undefined;
  });
}
