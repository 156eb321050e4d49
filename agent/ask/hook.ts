import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { Duplex } from "node:stream";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import { identityOf } from "../../ledger/system-clock.ts";
import { whyNotRun } from "./programs.ts";

export interface Hook {
  readonly command: readonly string[];
  /** Where the command runs; a relative path such as ./tell.sh starts here. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Written to its standard input. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Which part of a long output is kept. Left out: its start, which mostly has the error. */
  readonly keeps?: "end";
  /** Told which process it is, where the system says so: whoever goes on after this one ends that first. */
  readonly onStart?: (program: ProcessIdentity) => unknown;
  /** It begins only once `onStart` is kept, and ends with this process, however that ends. Else it may outlive this one. */
  readonly endsWithUs?: boolean;
}

/**
 * Runs its arguments once it has read a line from descriptor 3, and never if that is closed before. From then on a closed one, as
 * where the process at its other end has died, ends all of the group. It is a shell and not a Node: fleetkeeper may be a single file.
 */
const GUARD = `trap : TERM
read -r go <&3 || exit 125
{ trap '' TERM; read -r gone <&3; kill -KILL 0; } &
(exec "$@" 3<&-)
code=$?
kill -KILL $!
wait $! 2>/dev/null
exit $code`;

/** How many characters of its output are kept: enough for an error message. */
const MOST_OUTPUT = 2_000;
/** How many of its last lines: so many fit into a short text, beside how it ended. */
const MOST_LAST = 400;
/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;

/** It ran, and did not end with 0. */
export class HookFailure extends Error {
  /** Null: it was ended by a signal, by its time limit, or by us. */
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Runs a user's program, with a time limit. It has no shell: no text of the service can be a command. It has
 * its own process group: what it started ends with it. Gives what it said. Throws, with its output, unless it ends
 * with 0: a `HookFailure`, or what the system said if it could not be started.
 */
export async function runHook(hook: Hook, signal: AbortSignal): Promise<string> {
  const { command, folder, environment, input, timeoutMs, keeps, onStart } = hook;
  const [program = "", ...args] = command;
  const isGuarded = hook.endsWithUs === true && process.platform !== "win32";
  signal.throwIfAborted();
  // The shell would end with a code, as if the program had.
  const away = isGuarded ? whyNotRun(program, folder, environment.PATH) : undefined;
  if (away) throw new Error(`${program}: ${away.why}`);
  const [file, given] = isGuarded ? ["/bin/sh", ["-c", GUARD, program, ...command]] : [program, args];
  const pipes = Array<"pipe">(isGuarded ? 4 : 3).fill("pipe");
  const child = spawn(file, given, {
    cwd: folder,
    env: Object.fromEntries(
      Object.entries(environment).filter(([, value]) => value !== undefined),
    ) as NodeJS.ProcessEnv,
    stdio: pipes,
    detached: true,
  }) as ChildProcessWithoutNullStreams;
  const gate = child.stdio[3] instanceof Duplex ? child.stdio[3] : undefined;
  gate?.on("error", () => undefined);
  const itself = child.pid === undefined ? undefined : identityOf(child.pid);
  const told = itself && onStart?.(itself);
  Promise.resolve(told).then(
    () => gate?.write("go\n"),
    () => gate?.destroy(),
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      if (keeps === "end") said = lastOf(said + text);
      else if (said.length < MOST_OUTPUT) said += text.slice(0, MOST_OUTPUT - said.length);
    });
  }
  // A program that does not read its input closes the pipe; that is no error.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  let why: string | undefined;
  let killer: NodeJS.Timeout | undefined;
  const end = (reason: string): void => {
    why ??= reason;
    killGroup(child.pid, "SIGTERM");
    killer ??= setTimeout(() => killGroup(child.pid, "SIGKILL"), GRACE_MS);
  };
  const limit = setTimeout(() => end(`it was ended after ${timeoutMs / 1000} s`), timeoutMs);
  const onAbort = (): void => end("the agent ends");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    // Waits for the program only: a child that it left behind may keep the output open.
    const [code, by] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (...ended) => resolve(ended));
    });
    if (code === 0 && why === undefined) return said.trim();
    const how = why ?? (code === null ? `it was ended by ${by}` : `it ended with ${code}`);
    throw new HookFailure(
      `${program}: ${how}${said.trim() === "" ? "" : `: ${said.trim()}`}`,
      why === undefined ? code : null,
    );
  } finally {
    clearTimeout(limit);
    clearTimeout(killer);
    signal.removeEventListener("abort", onAbort);
    // Ends what it started and left behind, too.
    killGroup(child.pid, "SIGKILL");
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    gate?.destroy();
  }
}

/** The end of a text, from a line's beginning if it has one. */
function lastOf(text: string): string {
  if (text.length <= MOST_LAST) return text;
  const last = text.slice(-MOST_LAST);
  return last.slice(last.trimEnd().indexOf("\n") + 1);
}

/** Ends a program that an agent which was killed has left running here, with all that it started; nothing else that has its pid now. */
export function endLeftBehind(program: ProcessIdentity): void {
  const now = identityOf(program.pid);
  if (now?.started === program.started && now.boot === program.boot) killGroup(program.pid, "SIGKILL");
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has ended already.
  }
}
