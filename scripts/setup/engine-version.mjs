import { outputOf } from "./processes.mjs";

/**
 * The version that this pulumi command prints; undefined if it does not run.
 * @param {string} file
 * @param {NodeJS.ProcessEnv} [env]
 */
export function versionOf(file, env = process.env) {
  return outputOf(file, ["version"], { env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "1" } });
}

/**
 * Where the shell finds a command.
 * @param {string} command
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>}
 */
export function onPath(command, env) {
  return outputOf("/bin/sh", ["-c", 'command -v "$1"', "sh", command], { env });
}
