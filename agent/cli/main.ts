import { hostname } from "node:os";
import { setImmediate } from "node:timers/promises";
import { packageFile } from "../../service/process/package-file.ts";
import { userName } from "../../service/process/user-name.ts";
import { keepHeapSmall } from "./heap.ts";
import { terminalPrompts } from "./init/prompts.ts";
import { runCli } from "./program.ts";
import type { Signals } from "./signals.ts";

/** How long a process that was told to end waits for whoever reads what it said. */
const UNREAD_MS = 2_000;

/**
 * The command line of this process.
 * @param self what starts this program: an executable, and its first arguments
 */
export async function main(self: readonly string[], signals: Signals): Promise<void> {
  // A signal that came while this was loaded is told in the loop's next turn.
  await setImmediate();
  signals.begin();
  const { stopping, onHangup } = signals;
  // The reader of a pipe may leave early, as `head` does; a terminal or a disk may be gone. The work goes on: a
  // stop that is not sent bills, and machines that nobody keeps are lost.
  const unheard = new AbortController();
  let unwritten = 0;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "EPIPE") process.exitCode = unwritten = 1;
      if (stream === process.stdout) unheard.abort();
    });

  const { version } = JSON.parse(packageFile("package.json").toString()) as { readonly version: string };

  const exitCode = await runCli(process.argv.slice(2), version, {
    environment: process.env,
    person: `user:${userName() ?? "?"}@${hostname()}`,
    signal: stopping.signal,
    unheard: unheard.signal,
    print: (text) => process.stdout.write(`${text}\n`),
    tell: (text) => process.stderr.write(`${text}\n`),
    ask: process.stdin.isTTY && process.stderr.isTTY ? terminalPrompts(stopping) : undefined,
    stdio: { input: process.stdin, output: process.stdout },
    self,
    stay: keepHeapSmall,
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
    terminal: process.stdout.isTTY === true,
    screen: process.stdout.isTTY
      ? { write: (text) => process.stdout.write(text), rows: () => process.stdout.rows }
      : undefined,
    onHangup,
  });
  process.exitCode = exitCode || unwritten;
  // What nobody reads keeps the process alive. Whoever asked it to end does not wait for that for long.
  const end = () => setTimeout(() => process.exit(), UNREAD_MS).unref();
  if (stopping.signal.aborted) end();
  else stopping.signal.addEventListener("abort", end);
}
