import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

/** Which way nothing comes through: from the host to the server, back, or both. */
export type Way = "there" | "back" | "both";

type Command = readonly string[];

const isRoot = process.getuid?.() === 0;
const UNSHARE: Command = ["unshare", ...(isRoot ? [] : ["--map-root-user"]), "--net"];
/** Ends when the process that started it ends. */
const STAY: Command = ["sh", "-c", "ip link set lo up && echo up && exec cat"];
/** Nobody has it. */
const NOWHERE = "02:00:00:00:00:ff";

/**
 * False where the system does not let us make a network: then tests of one are skipped by name. In CI that is a failure.
 */
export function mayMakeNetworks(): boolean {
  const [file = "", ...parameters] = [...UNSHARE, "ip", "link", "add", "name", "one", "type", "veth"];
  const { status, stderr, error } = spawnSync(file, parameters, { encoding: "utf8" });
  if (status !== 0 && process.env.CI) throw error ?? new Error(`no network can be made: ${stderr}`);
  return status === 0;
}

function run(...command: Command): void {
  const [file = "", ...parameters] = command;
  execFileSync(file, parameters, { stdio: ["ignore", "ignore", "inherit"] });
}

async function stay(...command: Command): Promise<number> {
  const [file = "", ...parameters] = command;
  const child: ChildProcess = spawn(file, parameters, { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout) await once(child.stdout, "data");
  return child.pid ?? 0;
}

function enter(pid: number): Command {
  const user = isRoot ? [] : ["--user", "--preserve-credentials"];
  return ["nsenter", "--target", `${pid}`, "--net", ...user];
}

/** Where a packet that is for `to` is sent. */
function route(from: Command, to: string, device: string, mac: string): void {
  run(...from, "ip", "neigh", "replace", to, "lladdr", mac, "dev", device, "nud", "permanent");
}

interface Cable {
  /** A command that runs the one that it is given, on this host. */
  readonly under: Command;
  /** The server, as this host knows it. */
  readonly address: string;
  /** What is sent this way vanishes. Nobody is told: a connection stays open, on both sides or on one. */
  cut(way: Way): void;
  heal(): void;
}

export interface Network {
  /** As of a {@link Cable}, where the server is. */
  readonly server: Command;
  readonly cables: readonly Cable[];
}

/** A server and hosts, each in a network namespace of its own, and a cable from each host to the server. */
export async function network(hosts: number): Promise<Network> {
  const server = enter(await stay(...UNSHARE, ...STAY));
  const cables: Cable[] = [];
  for (let number = 1; number <= hosts; number++) cables.push(await lay(server, number));
  return { server, cables };
}

async function lay(server: Command, number: number): Promise<Cable> {
  const pid = await stay(...server, "unshare", "--net", ...STAY);
  const under = enter(pid);
  const [near, far] = [`10.9.${number}.1`, `10.9.${number}.2`];
  const [nearMac, farMac] = [`02:00:00:00:0${number}:01`, `02:00:00:00:0${number}:02`];
  const device = `host${number}`;
  run(
    ...[...server, "ip", "link", "add", "name", device, "address", nearMac, "type", "veth", "peer", "name"],
    ...["cable", "address", farMac, "netns", `${pid}`],
  );
  for (const [at, name, address] of [
    [server, device, near],
    [under, "cable", far],
  ] as const) {
    run(...at, "ip", "address", "add", `${address}/24`, "dev", name);
    run(...at, "ip", "link", "set", name, "up");
  }
  const there = (mac: string): void => route(under, near, "cable", mac);
  const back = (mac: string): void => route(server, far, device, mac);
  const heal = (): void => {
    there(nearMac);
    back(farMac);
  };
  heal();
  return {
    ...{ under, heal, address: near },
    cut: (way) => {
      if (way !== "back") there(NOWHERE);
      if (way !== "there") back(NOWHERE);
    },
  };
}
