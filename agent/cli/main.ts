import { packageFile } from "../../service/package-file.ts";
import { keepHeapSmall } from "./heap.ts";
import { runCli } from "./program.ts";
import { terminalPrompts } from "./prompts.ts";

/**
 * The command line of this process.
 * @param self what starts this program: an executable, and its first arguments
 */
export async function main(self: readonly string[]): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // The second signal does not wait for what is under way: the ledger knows about it.
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort(new Error(`stopped by ${signal}`));
      process.stderr.write(`${signal}: finishing what is in flight; once more to exit at once.\n`);
    });
  }

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
    signal: stopping.signal,
    unheard: unheard.signal,
    print: (text) => process.stdout.write(`${text}\n`),
    tell: (text) => process.stderr.write(`${text}\n`),
    ask: process.stdin.isTTY && process.stderr.isTTY ? terminalPrompts(stopping) : undefined,
    self,
    stay: keepHeapSmall,
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
    terminal: process.stdout.isTTY === true,
    screen: process.stdout.isTTY
      ? { write: (text) => process.stdout.write(text), rows: () => process.stdout.rows }
      : undefined,
    // On a terminal, SIGHUP means that the terminal was closed. It ends the process as usual.
    onHangup: (listener) => {
      if (!process.stdout.isTTY) process.on("SIGHUP", listener);
    },
  });
  process.exitCode = exitCode || unwritten;
}
