import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface Child {
  /** The exit code. */
  readonly ended: Promise<number>;
  /** Asks the process to finish, as Ctrl-C does, or ends it by another signal. Gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number>;
}

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Called with each line that the process prints to stdout or stderr. */
  readonly onLine: (line: string) => void;
}

/** Starts a process and hands its lines on. */
export function start(command: string, args: readonly string[], { env, cwd, onLine }: ChildOptions): Child {
  // A process group of its own: Ctrl-C reaches the demo only, and the demo then ends its children in order.
  const child = spawn(command, args, { env, cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", onLine);
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? (signal ? 130 : 1)));
  });
  return {
    ended,
    stop: (signal = "SIGINT") => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return ended;
    },
  };
}
