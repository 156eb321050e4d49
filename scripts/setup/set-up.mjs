import path from "node:path";
import { build } from "./build.mjs";
import { findEngine } from "./engine.mjs";
import { withParts } from "./engine-parts.mjs";
import { environmentFor } from "./environment.mjs";
import { installDependencies } from "./install.mjs";
import { withLock } from "./lock.mjs";
import { findNode } from "./node.mjs";
import { root } from "./paths.mjs";
import { say } from "./say.mjs";
import { SetupError } from "./setup-error.mjs";

/**
 * @typedef {{ node: import("./node.mjs").Node, env: NodeJS.ProcessEnv,
 *   engine?: import("./engine.mjs").Engine | undefined }} Ready
 */

/**
 * Sets up what a clone needs, each part only if it is missing. With nothing to do it takes half a second.
 *
 * @param {object} [options]
 * @param {boolean} [options.engine] whether the Pulumi engine is wanted too
 * @param {boolean} [options.declarations] whether what runs next may read the .d.ts files of dist/
 * @param {(error: SetupError) => void} [options.onFailedBuild] to go on with the last good dist/
 * @param {(error: SetupError) => void} [options.onMissingEngine] to go on where a missing engine is an error
 * @returns {Promise<Ready>}
 */
export async function setUp({
  engine: wanted = true,
  declarations = true,
  onFailedBuild = fail,
  onMissingEngine = fail,
} = {}) {
  const quit = () => process.exit(130);
  process.on("SIGINT", quit).on("SIGTERM", quit);
  try {
    const onWait = () => say("another run is setting up this clone: waiting for it ...");
    const node = await withLock(path.join(root, ".fleetkeeper", "set-up.lock"), { onWait }, async () => {
      await installDependencies();
      const found = await findNode();
      await build(found, { declarations }).catch((error) => {
        if (!(error instanceof SetupError)) throw error;
        onFailedBuild(error);
      });
      return found;
    });
    const engine = wanted ? await theEngine(onMissingEngine) : undefined;
    return { node, engine, env: environmentFor({ node, engine }) };
  } finally {
    process.off("SIGINT", quit).off("SIGTERM", quit);
  }
}

/**
 * Without an engine the rest works. In a CI nobody reads the notice, so there it is an error.
 * @param {(error: SetupError) => void} onMissing
 */
async function theEngine(onMissing) {
  const { engine, missing } = await findEngine();
  if (engine) {
    say(`Pulumi engine ${engine.version}, ${engine.from}`);
    return withParts(engine);
  }
  const ci = isCi(process.env);
  const notice = noticeOfMissingEngine(missing, ci);
  if (ci) onMissing(new SetupError(notice));
  else say(notice);
  return undefined;
}

/**
 * @param {string} why
 * @param {boolean} ci
 */
export function noticeOfMissingEngine(why, ci) {
  return [
    `THERE IS NO PULUMI ENGINE HERE: ${why}.`,
    `        What needs it ${ci ? "fails, because CI is set" : "is skipped, by name"}. To have it, do one of these and run this again:`,
    "        - install the pulumi command (https://www.pulumi.com/docs/install) so that it is on the PATH",
    "        - or set FLEETKEEPER_PULUMI to where it is",
    "        - or install Go 1.25 or newer (https://go.dev/dl): it is then built here",
  ].join("\n");
}

/** @param {NodeJS.ProcessEnv} env */
export function isCi(env) {
  return env.CI !== undefined && !["", "0", "false"].includes(env.CI.toLowerCase());
}

/** @param {SetupError} error */
function fail(error) {
  throw error;
}
