// @module-tag repeats
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { createSimulator, dialectProfilePath } from "../../simulator/index.ts";
import { describeWithEngine } from "../engine/engine.ts";
import { installSdk, python } from "../engine/python.ts";
import { until } from "../engine/world.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const KEY = "canary-key-77aa";

/** examples/python on a service of its own. A signal is sent to Python alone, as a container's end does. */
async function session(prepare: (folder: string) => void = () => undefined) {
  const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-session-"));
  prepare(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new StoppableClock();
  const states = ["initializing", "provisioning", "connecting", "stopping"];
  const settings = Object.fromEntries(states.map((state) => [`${state}Seconds`, [0.2, 0.2]]));
  const simulator = createSimulator({ clock, apiKey: KEY, dialect: "plain", settings });
  onTestFinished(() => simulator.close());
  const { url } = await simulator.listen();
  const child = spawn(path.join(python!, "bin/python"), [path.join(ROOT, "examples/python/session.py")], {
    cwd: folder,
    env: {
      PATH: [path.join(ROOT, "node_modules/.bin"), process.env.PATH].join(":"),
      HOME: folder,
      RUN_OF_TESTS: process.env.RUN_OF_TESTS,
      PYTHONPATH: installSdk(path.join(folder, "packages")),
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
  return { folder, child, clock, ended, said: () => said, ends, comesTo };
}

describeWithEngine("examples/python, told to end by SIGTERM", () => {
  it.skipIf(!python)("in its block, gives its machine back [needs Pulumi for Python]", async () => {
    const { child, ended, said, ends, comesTo } = await session();
    await comesTo(() => said().includes("8 GPUs, "));
    child.kill("SIGTERM");
    expect(await ended, said()).toEqual([1, null]);
    expect(said()).toContain("given back: succeeded");
    expect(said()).not.toContain(KEY);
    expect(ends()).toEqual([true]);
  });

  it.skipIf(!python)(
    "while its machine starts, and once more by Ctrl-C, gives it back [needs Pulumi for Python]",
    async () => {
      const { child, clock, ended, said, ends, comesTo } = await session();
      clock.stop();
      await comesTo(() => ends().length > 0);
      child.kill("SIGTERM");
      child.kill("SIGINT");
      clock.goOn();
      expect(await ended, said()).toEqual([1, null]);
      expect(said()).toContain("given back: succeeded");
      expect(ends()).toEqual([true]);
    },
  );
});

describeWithEngine("examples/python on a locked stack", () => {
  it.skipIf(!python)(
    "whose own up was killed: it takes the lock away and gives its machine back [needs Pulumi for Python]",
    async () => {
      const { child, clock, ended, said, ends, comesTo } = await session();
      clock.stop();
      await comesTo(() => ends().length > 0);
      const engines = execFileSync("ps", ["--ppid", String(child.pid), "-o", "pid=,args="]).toString();
      const [, engine] = /^ *(\d+) .*pulumi/m.exec(engines) ?? [];
      process.kill(Number(engine), "SIGKILL");
      clock.goOn();
      expect(await ended, said()).toEqual([1, null]);
      expect(said()).toContain(`locked by a process that is dead (${engine}): cancelled`);
      expect(said()).toContain("given back: succeeded");
      expect(ends()).toEqual([true]);
    },
  );

  it.skipIf(!python)(
    "by a process that lives: it leaves the lock, and rents nothing [needs Pulumi for Python]",
    async () => {
      let lock = "";
      const { ended, said, ends } = await session((folder) => {
        const locks = path.join(folder, ".pulumi/locks/organization/python/session");
        mkdirSync(locks, { recursive: true });
        lock = path.join(locks, "8a2f0b7e-9c53-4f7a-8a5e-2f4f6f0a9e11.json");
        const holder = {
          pid: process.pid,
          username: "somebody",
          hostname: hostname(),
          timestamp: new Date(),
        };
        writeFileSync(lock, JSON.stringify(holder));
      });
      expect(await ended, said()).toEqual([1, null]);
      expect(said()).toContain("the stack is currently locked by 1 lock(s)");
      expect(existsSync(lock)).toBe(true);
      expect(ends()).toEqual([]);
    },
  );
});
