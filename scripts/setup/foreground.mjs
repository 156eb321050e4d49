import { spawn } from "node:child_process";

/**
 * Runs a command in our place: on the same terminal, with its exit code as ours. It gets each Ctrl-C once.
 *
 * A second SIGINT would tell `pulumi` to stop now and forget what it is creating. On a terminal, everybody
 * gets the SIGINT, and npm passes it on to us once more: so we pass on nothing. Without a terminal (a CI, a
 * supervisor), the command has its own process group and gets each signal once, however many copies reach us
 * within half a second.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ env: NodeJS.ProcessEnv, cwd?: string }} options
 * @returns {Promise<number>} the exit code; 128 + n when signal n ended it
 */
export function runInForeground(command, args, { env, cwd }) {
  const onTerminal = process.stdin.isTTY === true;
  let lastSignalAt = Number.NEGATIVE_INFINITY;
  const passOn = (/** @type {NodeJS.Signals} */ signal) => {
    if (onTerminal && signal === "SIGINT") return;
    const now = performance.now();
    if (signal === "SIGINT" && now - lastSignalAt < 500) return;
    lastSignalAt = now;
    child.kill(signal);
  };
  /** @type {NodeJS.Signals[]} */
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  // Before the command begins: a signal between the two would end us alone, and leave the command behind.
  for (const signal of signals) process.on(signal, passOn);
  const child = spawn(command, args, { cwd, env, stdio: "inherit", detached: !onTerminal });

  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      for (const name of signals) process.off(name, passOn);
      resolve(code ?? 128 + (signalNumbers[/** @type {keyof typeof signalNumbers} */ (signal)] ?? 0));
    });
  });
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };
