#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { tooOld } from "../../ledger/node-version.ts";

// Before anything else is loaded.
const problem = tooOld();
if (problem !== undefined) {
  process.stderr.write(`${problem} In a clone, npx fleetkeeper uses the right one.\n`);
  process.exit(2);
}
const { findPackageJSON } = await import("node:module");
const { runCli } = await import("./program.ts");
const { terminalPrompts } = await import("./prompts.ts");

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // The second one does not wait for what is in flight: the ledger knows about it.
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort(new Error(`stopped by ${signal}`));
    process.stderr.write(`${signal}: finishing what is in flight; once more to exit at once.\n`);
  });
}

// The reader of a pipe may leave early, as `head` does, and a terminal or a disk may be gone. What was begun
// is not given up for that: a stop that is not sent bills, and machines that nobody keeps are lost.
const unheard = new AbortController();
let unwritten = 0;
for (const stream of [process.stdout, process.stderr])
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code !== "EPIPE") process.exitCode = unwritten = 1;
    if (stream === process.stdout) unheard.abort();
  });

const manifest = findPackageJSON(import.meta.url);
const { version } = JSON.parse(manifest ? readFileSync(manifest, "utf8") : "{}") as {
  readonly version: string;
};

const exitCode = await runCli(process.argv.slice(2), version, {
  environment: process.env,
  signal: stopping.signal,
  unheard: unheard.signal,
  print: (text) => process.stdout.write(`${text}\n`),
  tell: (text) => process.stderr.write(`${text}\n`),
  ask: process.stdin.isTTY && process.stderr.isTTY ? terminalPrompts(stopping) : undefined,
  color: process.stdout.isTTY === true && !process.env.NO_COLOR,
  terminal: process.stdout.isTTY === true,
  screen: process.stdout.isTTY
    ? { write: (text) => process.stdout.write(text), rows: () => process.stdout.rows }
    : undefined,
  // On a terminal it says that the terminal was closed, and ends the process as ever.
  onHangup: (listener) => {
    if (!process.stdout.isTTY) process.on("SIGHUP", listener);
  },
});
process.exitCode = exitCode || unwritten;
