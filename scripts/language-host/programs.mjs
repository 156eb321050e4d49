import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { inSdkOf } from "./node-runner.mjs";

/**
 * How a program of one language is run: by `command`, which exits with 32 when it has already shown the error to
 * the user. `input` is what it reads. `temporary` is a folder that is removed when it has ended.
 * @typedef {{ command: string, args: string[], env?: Record<string, string>, input?: Uint8Array,
 *   temporary?: string }} Runner
 *
 * The runner for a pulumirpc.RunRequest, or why there is none.
 * @typedef {Runner | { missing: string }} Found
 * @typedef {(request: any, engineAddress: string) => Found | Promise<Found>} FindRunner
 */

const bailExitCode = 32;

/** The Pulumi programs that this host runs, one process each. */
export class Programs {
  /** @type {Map<import("node:child_process").ChildProcess, Promise<unknown>>} */
  #running = new Map();
  #engineAddress;
  #runnerOf;

  /** @param {string} engineAddress @param {FindRunner} runnerOf */
  constructor(engineAddress, runnerOf) {
    this.#engineAddress = engineAddress;
    this.#runnerOf = runnerOf;
  }

  /**
   * Runs a policy pack of Node, and tells its engine what it prints. Packs of other languages, and plugins, are not run.
   * @param {any} call with a pulumirpc.RunPluginRequest
   * @param {any} Response
   */
  async runPlugin(call, Response) {
    const { request } = call;
    const folder = request.getInfo()?.getProgramDirectory() || request.getProgram();
    const runner = request.getKind() === "analyzer" && inSdkOf(folder, "run-policy-pack");
    if (!runner)
      return call.emit("error", { message: `this host runs no ${request.getKind()} of ${folder}` });
    const env = Object.fromEntries(
      request.getEnvList().map((/** @type {string} */ each) => each.split(/=(.*)/s, 2)),
    );
    const child = spawn(process.execPath, [runner, ...request.getArgsList(), folder], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    this.#running.set(child, ended);
    call.on("cancelled", () => child.kill("SIGTERM"));
    child.stdout.on("data", (data) => call.write(new Response().setStdout(data)));
    child.stderr.on("data", (data) => call.write(new Response().setStderr(data)));
    const code = await ended;
    this.#running.delete(child);
    call.write(new Response().setExitcode(code ?? 1));
    call.end();
  }

  /**
   * Runs a program to its end.
   * @param {any} request a pulumirpc.RunRequest
   * @param {import("node:events").EventEmitter} call emits "cancelled" when the engine gives up
   * @returns {Promise<{ error?: string, bail?: boolean }>}
   */
  async run(request, call) {
    const runner = await this.#runnerOf(request, this.#engineAddress);
    if ("missing" in runner) return { error: runner.missing };
    const child = spawn(runner.command, runner.args, {
      env: { ...process.env, ...runner.env },
      // Not our stdin: it may be the user's terminal, and two readers would share what is typed.
      stdio: [runner.input ? "pipe" : "ignore", "inherit", "inherit"],
    });
    // A program that ended at once reads nothing: its exit code says so.
    child.stdin?.on("error", () => undefined).end(runner.input);
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
      if (runner.temporary) rmSync(runner.temporary, { recursive: true, force: true });
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
}

/** @param {{ code: number | null, signal: NodeJS.Signals | null }} end */
function outcomeOf({ code, signal }) {
  if (code === 0) return {};
  if (code === bailExitCode) return { bail: true };
  return { error: signal ? `Program ended by ${signal}` : `Program exited with non-zero exit code: ${code}` };
}
