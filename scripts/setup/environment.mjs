import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { onPath } from "./engine-version.mjs";
import { root } from "./paths.mjs";

/**
 * The environment for whatever runs after the set-up. The one place that says what it promises:
 *
 * - PATH: `node` is Node >= 24, the commands of node_modules/.bin are there, and `pulumi` is the engine, complete with a
 *   language host and the host of dynamic providers.
 * - FLEETKEEPER_PULUMI: the engine's absolute path; not set where there is none. Tests ask for this one.
 * - PULUMI_SKIP_UPDATE_CHECK=1: the engine looks nothing up.
 *
 * @param {{ node: import("./node.mjs").Node, engine?: import("./engine.mjs").Engine | undefined, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function environmentFor({ node, engine, env = process.env }) {
  const first = [path.dirname(node.path), path.join(root, "node_modules", ".bin")];
  const last = [];
  if (engine) {
    first.push(path.dirname(engine.pulumi));
    if (!(await engineHas(engine, "pulumi-language-nodejs", env))) {
      last.push(path.join(root, "scripts", "language-host"));
    }
    if (!(await engineHas(engine, "pulumi-resource-pulumi-nodejs", env))) {
      last.push(path.join(root, "node_modules", "@pulumi", "pulumi"));
    }
  }
  /** @type {NodeJS.ProcessEnv} */
  const prepared = {
    ...env,
    PATH: [...first, env.PATH, ...last].filter(Boolean).join(path.delimiter),
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
  delete prepared.FLEETKEEPER_PULUMI;
  if (engine) prepared.FLEETKEEPER_PULUMI = engine.pulumi;
  return prepared;
}

/**
 * The official engine brings its plugins beside it; ours must not take their place.
 * @param {import("./engine.mjs").Engine} engine
 * @param {string} plugin
 * @param {NodeJS.ProcessEnv} env
 */
async function engineHas(engine, plugin, env) {
  const beside = [engine.pulumi, realpathSync(engine.pulumi)].map((file) =>
    path.join(path.dirname(file), plugin),
  );
  return beside.some((file) => existsSync(file)) || (await onPath(plugin, env)) !== undefined;
}
