import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { createSimulator, dialectProfilePath } from "../../simulator/index.ts";
import { until } from "../engine/world.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";

export const ROOT = path.join(import.meta.dirname, "../..");
const KEY = "canary-key-77aa";

/** How a session begins: its program, and what it finds in its folder. */
interface Begins {
  readonly command: readonly [string, ...string[]];
  readonly environment?: (folder: string) => Readonly<Record<string, string>>;
  readonly prepare?: (folder: string) => void;
}

/** A program that has GPUs for as long as it runs, on a service of its own. A signal is sent to it alone, as a container's end does. */
export async function session({ command: [program, ...args], environment, prepare }: Begins) {
  const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-session-"));
  prepare?.(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new StoppableClock();
  const states = ["initializing", "provisioning", "connecting", "stopping"];
  const settings = Object.fromEntries(states.map((state) => [`${state}Seconds`, [0.2, 0.2]]));
  const simulator = createSimulator({ clock, apiKey: KEY, dialect: "plain", settings });
  onTestFinished(() => simulator.close());
  const { url } = await simulator.listen();
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: [path.join(ROOT, "node_modules/.bin"), process.env.PATH].join(":"),
      HOME: folder,
      // What the automation leaves behind goes with it.
      TMPDIR: folder,
      RUN_OF_TESTS: process.env.RUN_OF_TESTS,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...environment?.(folder),
      PULUMI_HOME: path.join(folder, ".pulumi"),
      PULUMI_BACKEND_URL: pathToFileURL(folder).href,
      PULUMI_CONFIG_PASSPHRASE: "example",
      PULUMI_SKIP_UPDATE_CHECK: "1",
      FLEETKEEPER_BASE_URL: url,
      FLEETKEEPER_API_KEY: KEY,
      FLEETKEEPER_ACCOUNT: "exclusive",
      FLEETKEEPER_PROFILE: dialectProfilePath("plain"),
      FLEETKEEPER_LEDGER: path.join(folder, "ledger.db"),
      FLEETKEEPER_PROTOCOL: JSON.stringify({ poll: 200, settle: 1_000, postTimeout: 20_000, gone: 500 }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const ended = once(child, "close");
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  /** Waits for what the program brings about. */
  const comesTo = (condition: () => boolean): Promise<void> =>
    until(() => {
      if (isOver() && !condition()) throw new Error(`the program has ended:\n${said}`);
      return condition();
    });
  const ends = () => simulator.truth().machines.map(({ endedAt }) => endedAt !== null);
  return { child, clock, ended, said: () => said, ends, comesTo };
}

/** Its `up` is killed while a machine of it starts. It takes its own lock away, and gives the machine back. */
export async function upIsKilled(begins: Begins): Promise<void> {
  const { child, clock, ended, said, ends, comesTo } = await session(begins);
  clock.stop();
  await comesTo(() => ends().length > 0);
  const engines = execFileSync("ps", ["--ppid", String(child.pid), "-o", "pid=,args="]).toString();
  const [, engine] = /^ *(\d+) .*pulumi/m.exec(engines) ?? [];
  process.kill(Number(engine), "SIGKILL");
  clock.goOn();
  expect(await ended, said()).toEqual([1, null]);
  expect(said()).toContain(`locked by a process that is dead (${engine}): cancelled`);
  expect(said()).toContain("given back: succeeded");
  expect(said()).not.toContain(KEY);
  expect(ends()).toEqual([true]);
}

/** The stack is locked by a process that lives. It leaves the lock, and rents nothing. */
export async function lockIsLive(begins: Begins, project: string): Promise<void> {
  let lock = "";
  const { ended, said, ends } = await session({
    ...begins,
    prepare: (folder) => {
      begins.prepare?.(folder);
      const locks = path.join(folder, `.pulumi/locks/organization/${project}/session`);
      mkdirSync(locks, { recursive: true });
      lock = path.join(locks, "8a2f0b7e-9c53-4f7a-8a5e-2f4f6f0a9e11.json");
      const holder = { pid: process.pid, username: "somebody", hostname: hostname(), timestamp: new Date() };
      writeFileSync(lock, JSON.stringify(holder));
    },
  });
  expect(await ended, said()).toEqual([1, null]);
  expect(said()).toContain("the stack is currently locked by 1 lock(s)");
  expect(existsSync(lock)).toBe(true);
  expect(ends()).toEqual([]);
}
