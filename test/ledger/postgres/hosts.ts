import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { ProtocolSettings } from "../../../launch/facts/context.ts";

/** What a process of a host is told. */
export interface HostChild {
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly profile: string;
  readonly url: string;
  readonly protocol: Partial<ProtocolSettings>;
  /** The file that it waits for. */
  readonly go: string;
  readonly owner: string;
  /** How far its wall clock is ahead, in ms. */
  readonly ahead: number;
  /** It is killed with the answer to its POST. */
  readonly dies: boolean;
}

/** A computer of its own: another boot id, another monotonic clock, its own processes. */
export interface Host {
  readonly boot: string;
  readonly said: readonly string[];
  /** All its processes have ended. */
  readonly ended: Promise<unknown>;
  /** How often a process of it has said this. */
  times(name: string, text: string): number;
}

const SCRIPT = new URL("./host-child.ts", import.meta.url).pathname;
/** $0: the file with its boot id. Then the command that each of the other words is a process of. */
const COMMAND = `mount -t proc proc /proc && mount --bind "$0" /proc/sys/kernel/random/boot_id || exit
  node=$1; script=$2; shift 2
  for given; do "$node" --no-warnings "$script" "$given" & done; wait`;

function inNamespaces(number: number): readonly string[] {
  const ahead = String(number * 1_000_000);
  const clock = ["--time", "--monotonic", ahead, "--boottime", ahead];
  const mapped = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  return ["--mount", "--uts", "--pid", "--fork", "--kill-child", ...clock, ...mapped, "sh", "-c", COMMAND];
}

/**
 * False where the system does not let us make namespaces: then these tests are skipped by name. In CI that is a
 * failure.
 */
export function mayMakeHosts(): boolean {
  const { status, stderr, error } = spawnSync("unshare", [
    ...inNamespaces(1),
    "/proc/self/comm",
    "true",
    "",
    "",
  ]);
  if (status !== 0 && process.env.CI) throw error ?? new Error(`no host can be made: ${stderr}`);
  return status === 0;
}

/** Starts a host with these processes. It ends with the test. */
export function startHost(number: number, children: readonly HostChild[]): Host {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-host-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const boot = `${String(number).repeat(8)}-0000-4000-8000-000000000000`;
  const file = join(folder, "boot");
  writeFileSync(file, `${boot}\n`);
  const words = [file, process.execPath, SCRIPT, ...children.map((child) => JSON.stringify(child))];
  const host = spawn("unshare", [...inNamespaces(number), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(host, "exit");
  onTestFinished(async () => {
    host.kill("SIGKILL");
    await ended;
  });
  const said: string[] = [];
  createInterface({ input: host.stdout }).on("line", (line) => said.push(line));
  return {
    ...{ boot, said, ended },
    times: (name, text) => said.filter((line) => line === `${name} ${text}`).length,
  };
}
