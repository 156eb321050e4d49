import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

/** The SDK's runner exits with it when it has already shown the error to the user. */
const bailExitCode = 32;

/** The Pulumi programs that this host runs, one process each. */
export class Programs {
  /** @type {Map<import("node:child_process").ChildProcess, Promise<unknown>>} */
  #running = new Map();
  #engineAddress;

  /** @param {string} engineAddress */
  constructor(engineAddress) {
    this.#engineAddress = engineAddress;
  }

  /**
   * Runs a program to its end.
   * @param {any} request a pulumirpc.RunRequest
   * @param {import("node:events").EventEmitter} call emits "cancelled" when the engine gives up
   * @returns {Promise<{ error?: string, bail?: boolean }>}
   */
  async run(request, call) {
    const folder = request.getInfo()?.getProgramDirectory() || request.getPwd();
    const options = request.getInfo()?.getOptions()?.toJavaScript() ?? {};
    const runner = runnerFor(folder);
    if (!runner) {
      return {
        error: `@pulumi/pulumi is not installed for ${folder}: run npm install there (npm run setup in a clone)`,
      };
    }
    const args = [...nodeArgs(options), runner, ...this.#runnerArgs(request)];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...environment(request, options) },
      // Not our stdin: it may be the user's terminal, and two readers would share what is typed.
      stdio: ["ignore", "inherit", "inherit"],
    });
    call.on("cancelled", () => child.kill("SIGTERM"));
    const ended = new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ code, signal }));
    });
    this.#running.set(child, ended);
    try {
      return outcomeOf(await ended);
    } finally {
      this.#running.delete(child);
    }
  }

  /**
   * Resolves when no program is left. The engine waits 5 s for us, so we wait 3 s for the programs.
   * @param {NodeJS.Signals} signal
   */
  async endAll(signal) {
    const running = [...this.#running];
    for (const [child] of running) child.kill(signal);
    const timer = setTimeout(() => {
      for (const [child] of running) child.kill("SIGKILL");
    }, 3_000);
    await Promise.allSettled(running.map(([, ended]) => ended));
    clearTimeout(timer);
  }

  /** The command line of @pulumi/pulumi/cmd/run. @param {any} request @returns {string[]} */
  #runnerArgs(request) {
    const flags = {
      monitor: request.getMonitorAddress(),
      engine: this.#engineAddress,
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
}

/**
 * The runner of the program's own SDK: our copy would not see the resources of the program's copy.
 * @param {string} folder
 */
function runnerFor(folder) {
  try {
    return createRequire(path.join(folder, "program.js")).resolve("@pulumi/pulumi/cmd/run");
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

/** @param {{ code: number | null, signal: NodeJS.Signals | null }} end */
function outcomeOf({ code, signal }) {
  if (code === 0) return {};
  if (code === bailExitCode) return { bail: true };
  return { error: signal ? `Program ended by ${signal}` : `Program exited with non-zero exit code: ${code}` };
}
