import { createRequire } from "node:module";
import path from "node:path";

/** @type {import("./programs.mjs").FindRunner} */
export function nodeRunner(request, engineAddress) {
  const folder = request.getInfo()?.getProgramDirectory() || request.getPwd();
  const options = request.getInfo()?.getOptions()?.toJavaScript() ?? {};
  const runner = inSdkOf(folder, "run");
  if (!runner) {
    return {
      missing: `@pulumi/pulumi is not installed for ${folder}: run npm install there (npm run setup in a clone)`,
    };
  }
  return {
    command: process.execPath,
    args: [...nodeArgs(options), runner, ...runnerArgs(request, engineAddress)],
    env: environment(request, options),
  };
}

/** The command line of @pulumi/pulumi/cmd/run. @param {any} request @param {string} engine @returns {string[]} */
function runnerArgs(request, engine) {
  const flags = {
    monitor: request.getMonitorAddress(),
    engine,
    project: request.getProject(),
    stack: request.getStack(),
    organization: request.getOrganization(),
    "root-directory": request.getInfo()?.getRootDirectory(),
    pwd: request.getPwd(),
    parallel: String(request.getParallel()),
  };
  const given = Object.entries(flags).filter(([, value]) => value);
  const program = request.getInfo()?.getEntryPoint() || request.getProgram() || ".";
  return [
    ...given.flatMap(([name, value]) => [`--${name}`, value]),
    ...(request.getDryrun() ? ["--dry-run"] : []),
    program,
    ...request.getArgsList(),
  ];
}

/**
 * What runs it in the program's own SDK: our copy would not see the resources of the program's copy.
 * @param {string} folder
 * @param {"run" | "run-policy-pack"} what
 */
export function inSdkOf(folder, what) {
  try {
    return createRequire(path.join(folder, "program.js")).resolve(`@pulumi/pulumi/cmd/${what}`);
  } catch {
    return undefined;
  }
}

/** @param {Record<string, unknown>} options runtime options of Pulumi.yaml */
function nodeArgs({ nodeargs }) {
  return typeof nodeargs === "string" ? nodeargs.split(/\s+/).filter(Boolean) : [];
}

/**
 * @param {any} request
 * @param {Record<string, unknown>} options
 */
function environment(request, { typescript = true, tsconfig }) {
  /** @type {Record<string, string>} */
  const variables = {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toObject(true))),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    PULUMI_NODEJS_TYPESCRIPT: String(typescript),
  };
  if (typeof tsconfig === "string") variables.PULUMI_NODEJS_TSCONFIG_PATH = tsconfig;
  return variables;
}
