import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { parseDocument } from "yaml";
import { CANARY, until, type World } from "./world.ts";

const ENTRY = path.join(import.meta.dirname, "../../agent/cli/entry.ts");
const KILLER = pathToFileURL(path.join(import.meta.dirname, "../proof/kill-at.ts")).href;

/** A stack that has an agent's address and a token, and nothing of the service or the ledger. */
export interface AgentWorld {
  readonly world: World;
  readonly token: string;
  /** The agent that lives now. */
  agent(): ChildProcess;
  /** From the next one on an agent dies at this moment of its work: see test/proof/kill-at.ts. Whoever dies is followed by another. */
  killAt(moment: string | undefined): void;
  /** Ends the agent, so that the next one begins. */
  renew(): Promise<void>;
  /** Agents that have died. */
  deaths(): number;
  setting(key: string, value: string | undefined): void;
  close(): Promise<void>;
}

export async function agentWorld(making: Promise<World>): Promise<AgentWorld> {
  const world = await making;
  const port = await freePort();
  let [deaths, isOver, killAt] = [0, false, undefined as string | undefined];
  let agent: ChildProcess;
  const begin = (): void => {
    const more = killAt === undefined ? {} : { NODE_OPTIONS: `--import=${KILLER}`, KILL_AT: killAt };
    agent = world.agentWith(more, "--http", `127.0.0.1:${port}`);
    agent.stdout?.resume();
    agent.stderr?.resume();
    agent.once("exit", () => {
      if (isOver) return;
      deaths += 1;
      // As a service manager starts it again; the one after that lives.
      begin();
      killAt = undefined;
    });
  };
  begin();
  await until(async () => (await world.rows().catch(() => undefined))?.account.agent != null);
  const made = ["token", "create", "--name", "ci", "--may", "declare", "--ledger", "ledger.db"];
  const { stdout } = await promisify(execFile)(process.execPath, [ENTRY, ...made], {
    cwd: world.project.folder,
    env: world.project.env,
  });
  const token = stdout.trim();
  const file = path.join(world.project.folder, "Pulumi.dev.yaml");
  const setting: AgentWorld["setting"] = (key, value) => {
    const settings = parseDocument(readFileSync(file, "utf8"));
    if (value === undefined) settings.deleteIn(["config", `fleetkeeper:${key}`]);
    else settings.setIn(["config", `fleetkeeper:${key}`], value);
    writeFileSync(file, String(settings));
  };
  for (const key of ["baseUrl", "profile", "ledger", "account", "apiKey"]) setting(key, undefined);
  setting("agent", `http://127.0.0.1:${port}`);
  await world.project.succeed("config", "set", "--secret", "fleetkeeper:token", token);
  return {
    world,
    token,
    setting,
    agent: () => agent,
    deaths: () => deaths,
    killAt: (moment) => {
      killAt = moment;
    },
    renew: async () => {
      const before = agent;
      before.kill("SIGTERM");
      await once(before, "exit");
      await until(
        async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true,
      );
    },
    close: async () => {
      isOver = true;
      agent.kill("SIGKILL");
      await once(agent, "exit");
      await world.close();
    },
  };
}

/** Nowhere in what a stack has left. */
export function secretsIn(text: string, token: string): readonly string[] {
  return [CANARY, token].filter((secret) => text.includes(secret));
}

/** The host of resources that this engine has started. */
export async function hostOf(engine: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid=,args="]);
  const all = stdout.split("\n").map((line) => /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? []);
  const below = new Set([String(engine)]);
  for (let before = 0; before < below.size; ) {
    before = below.size;
    for (const [, pid = "", ppid = ""] of all) if (below.has(ppid)) below.add(pid);
  }
  const hosts = all.filter(
    ([, pid = "", , args = ""]) =>
      below.has(pid) && /dynamic-provider|pulumi-resource-fleetkeeper/.test(args),
  );
  const [, pid] = hosts.at(-1) ?? [];
  if (pid === undefined) throw new Error(`no host of engine ${engine}:\n${stdout}`);
  return Number(pid);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
