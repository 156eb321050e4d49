import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/**
 * Whether the user has chosen where Pulumi keeps its state: by environment, or by `pulumi login`.
 * @param {NodeJS.ProcessEnv} env
 */
export function hasBackend(env) {
  if (env.PULUMI_BACKEND_URL || env.PULUMI_ACCESS_TOKEN) return true;
  const home = env.PULUMI_HOME || path.join(env.HOME || homedir(), ".pulumi");
  try {
    return Boolean(JSON.parse(readFileSync(path.join(home, "credentials.json"), "utf8")).current);
  } catch {
    return false;
  }
}

/**
 * Keeps the state in the clone, for users who chose no backend. If no passphrase is set either, it is empty:
 * a first look at the product should not begin with a password.
 * @param {string} url
 * @param {NodeJS.ProcessEnv} env
 */
export function localBackend(url, env) {
  /** @type {NodeJS.ProcessEnv} */
  const variables = { PULUMI_BACKEND_URL: url };
  let notice = "not logged in to Pulumi: its state is kept in .fleetkeeper/pulumi of this clone";
  if (env.PULUMI_CONFIG_PASSPHRASE === undefined && env.PULUMI_CONFIG_PASSPHRASE_FILE === undefined) {
    variables.PULUMI_CONFIG_PASSPHRASE = "";
    notice +=
      ", its secrets under an EMPTY passphrase (set PULUMI_CONFIG_PASSPHRASE, or log in, for real ones)";
  }
  return { variables, notice };
}
