import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { HookFailure } from "../../agent/ask/hook.ts";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import { readiness } from "../../agent/ask/ready.ts";
import { type SetupRunner, setup, setupRunner } from "../../agent/ask/setup.ts";
import { drainFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { cleanFor } from "../../agent/fleet/text/text.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { outcomeOf } from "../../agent/planning/choices/launch-outcome.ts";
import { accountStatus } from "../../agent/status/account-status.ts";
import { fleetReport } from "../../agent/status/fleet-report.ts";
import { statusText } from "../../agent/status/status-text.ts";
import { storeAlarms } from "../../agent/tell/notify/alarms.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { holdMachine } from "../../launch/people/machine-hold.ts";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import type { SetupRow } from "../../ledger/rows.ts";
import { systemClock } from "../../ledger/system-clock.ts";
import { candidate, draftOf, MINUTE, onStage } from "../agent/on-stage.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";

const SETUP = { command: ["./join.sh"], within: "10m", retries: 2 };

const TOLD = ["setupTried", "setUp", "setupFailed", "notReady", "stop"];

/** One run of a command that stands until the test ends it. */
interface Run {
  readonly id: string;
  readonly attempt: string;
  readonly by: number;
  finish(said: string): void;
  fail(said: string): void;
}

interface Agent {
  readonly watch: MachineWatch;
  /** Its program is not stored: it was killed before. */
  isHasty: boolean;
}

interface Scene {
  readonly on: Stage;
  readonly runs: Run[];
  /** Programs that were ended because an agent had left them. */
  readonly ended: ProcessIdentity[];
  readonly living: Set<number>;
  agent(pid: number): Agent;
  play(agent: Agent, minutes: number): Promise<void>;
  rows(): Promise<readonly (SetupRow | undefined)[]>;
  told(): Promise<readonly string[]>;
}

const good = async () => ({ kind: "good" }) as const;

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await setImmediate();
};

async function scene(gpus: number, wish: Partial<WishInput>): Promise<Scene> {
  const on = await onStage();
  const runs: Run[] = [];
  const ended: ProcessIdentity[] = [];
  const living = new Set([1, 2, 3]);
  const made: Scene = {
    on,
    runs,
    ended,
    living,
    agent: (pid) => {
      const self = { ...on.keeper.clock.self, pid };
      const keeper: Keeper = {
        ...on.keeper,
        clock: { ...on.keeper.clock, self, isAlive: (process) => living.has(process.pid) },
      };
      const agent: Agent = {
        isHasty: false,
        watch: new MachineWatch(keeper, [setup(keeper, runner(), String), readiness(good)], String),
      };
      function runner(): SetupRunner {
        return {
          run: ({ row }, onStart, signal) => {
            if (!agent.isHasty) onStart({ boot: "boot", pid: 1000 + runs.length, started: "0" });
            const { promise, resolve, reject } = Promise.withResolvers<string>();
            const fail = (said: string): void => reject(new HookFailure(said, 1));
            runs.push({ id: row.id, attempt: String(row.setup?.tries), by: pid, finish: resolve, fail });
            signal.addEventListener("abort", () => reject(new HookFailure("the agent ends", null)));
            return promise;
          },
          end: (program) => void ended.push(program),
        };
      }
      return agent;
    },
    play: async ({ watch }, minutes) => {
      for (let rounds = 0; rounds < minutes * 4; rounds++) {
        await on.clock.advance(15_000);
        watch.pump();
        await settle();
        await on.keeper.ledger.decide(on.keeper.account, (draft) => storeAlarms(draft, contextOf(on.keeper)));
      }
    },
    rows: async () => [...(await draftOf(on)).deployments.values()].map((row) => row.setup),
    told: async () =>
      (await on.keeper.ledger.events(on.keeper.account, 200))
        .filter(({ kind }) => TOLD.includes(kind))
        .map(({ kind, text }) => `${kind}: ${text}`)
        .reverse(),
  };
  await on.declare({ training: { gpus, candidates: [candidate(H100)], setup: SETUP, ...wish } });
  on.start();
  return made;
}

const ready = async ({ on }: Scene) => fleetReport(await draftOf(on), "training", contextOf(on.keeper));

test("each machine is set up once, and is ready only after that, whatever the check says", async () => {
  const at = await scene(16, { ready: { address: "host", tcp: 22, within: "10m" } });
  const agent = at.agent(1);
  await at.play(agent, 6);
  expect(at.runs.map(({ attempt }) => attempt)).toEqual(["1", "1"]);
  expect(new Set(at.runs.map(({ id }) => id)).size).toBe(2);
  expect(await ready(at)).toMatchObject({ runningGpus: 16, readyGpus: 0 });
  at.runs[0]?.finish("joined as node-1");
  await at.play(agent, 2);
  expect(await ready(at)).toMatchObject({ readyGpus: 8 });
  expect((await at.rows())[0]).toMatchObject({ state: "done", tries: 1, said: "joined as node-1" });
  expect(await at.told()).toEqual([expect.stringMatching(/^setUp: \S+ is set up, try 1: joined as node-1$/)]);
  at.runs[1]?.finish("");
  // Another command is for machines that come later.
  await at.on.declare({
    training: { gpus: 16, candidates: [candidate(H100)], setup: { ...SETUP, command: ["./other.sh"] } },
  });
  await at.play(agent, 3);
  expect(at.runs).toHaveLength(2);
  expect(await ready(at)).toMatchObject({ readyGpus: 16 });
});

test("a try that fails is repeated after a while, and one machine that never can be set up is told once", async () => {
  const at = await scene(8, {});
  const agent = at.agent(1);
  const begun: number[] = [];
  for (let tries = 1; tries <= 3; tries++) {
    while (at.runs.length < tries) await at.play(agent, 0.25);
    begun.push(at.on.clock.now());
    at.runs.at(-1)?.fail(`no route, ${tries}`);
  }
  await at.play(agent, 60);
  expect(at.runs.map(({ attempt }) => attempt)).toEqual(["1", "2", "3"]);
  const [first = 0, second = 0, third = 0] = begun;
  expect(second - first).toBeGreaterThanOrEqual(30_000);
  expect(third - second).toBeGreaterThanOrEqual(60_000);
  expect((await at.told()).map((text) => text.replace(/: \S+/, ": ID"))).toEqual([
    "setupTried: ID could not be set up, try 1: no route, 1; it is tried again",
    "setupTried: ID could not be set up, try 2: no route, 2; it is tried again",
    "setupFailed: ID runs and could not be set up, try 3: no route, 3; no other try follows",
  ]);
  expect(at.on.alive()).toHaveLength(1);
  expect(at.on.launches()).toBe(1);
  expect(await ready(at)).toMatchObject({ readyGpus: 0 });
});

test("one that failed for good is replaced where the fleet replaces what was never ready, and no other one", async () => {
  const at = await scene(16, { ready: { address: "host", tcp: 22, within: "5m", replace: true } });
  const agent = at.agent(1);
  await at.play(agent, 6);
  // Longer than `within`: its time to be ready begins once it is set up.
  at.runs[1]?.finish("");
  for (let tries = 0; tries < 3; tries++) {
    at.runs.filter(({ id }) => id === at.runs[0]?.id)[tries]?.fail("no disk");
    await at.play(agent, 3);
  }
  await at.play(agent, 10);
  expect((await at.told()).filter((text) => text.startsWith("stop"))).toEqual([
    expect.stringContaining(`${at.runs[0]?.id}`),
  ]);
  expect((await at.told()).join("\n")).toContain("it runs and could not be set up: no disk");
  // One thing is told once.
  expect((await at.told()).filter((text) => /^(setupFailed|notReady)/.test(text))).toEqual([
    expect.stringContaining("setupFailed"),
  ]);
  expect(at.on.launches()).toBe(3);
});

test("an agent that is killed in the middle: the next one waits while it lives, and goes on with the next try at once", async () => {
  const at = await scene(8, {});
  const first = at.agent(2);
  const second = at.agent(3);
  await at.play(first, 6);
  expect(at.runs).toHaveLength(1);
  await at.play(second, 3);
  expect(at.runs).toHaveLength(1);
  at.living.delete(2);
  await at.play(second, 0.25);
  expect(at.runs.map(({ attempt, by }) => [attempt, by])).toEqual([
    ["1", 2],
    ["2", 3],
  ]);
  // What the killed one has left running is ended before.
  expect(at.ended.map(({ pid }) => pid)).toEqual([1000]);
  // It was no failure of the machine's.
  expect((await at.rows())[0]).toMatchObject({ state: "running", tries: 2, failures: 0 });
  at.runs[0]?.finish("too late");
  await settle();
  expect((await at.rows())[0]).toMatchObject({ state: "running", tries: 2 });
  at.runs[1]?.finish("joined");
  await settle();
  expect((await at.rows())[0]).toMatchObject({ state: "done", tries: 2, said: "joined" });
});

test("an agent that ends by itself cuts its try off, and that is no failure of the machine's", async () => {
  const at = await scene(8, {});
  const first = at.agent(2);
  await at.play(first, 6);
  await first.watch.close();
  expect((await at.rows())[0]).toMatchObject({ state: "waiting", tries: 1, failures: 0 });
  await at.play(at.agent(3), 1);
  expect((await at.rows())[0]).toMatchObject({ state: "running", tries: 2, failures: 0 });
});

test("where nobody knows what it has left running, the whole time of the try passes first", async () => {
  const at = await scene(8, {});
  const first = at.agent(2);
  first.isHasty = true;
  await at.play(first, 6);
  expect(at.runs).toHaveLength(1);
  at.living.delete(2);
  const second = at.agent(3);
  await at.play(second, 4);
  expect(at.runs).toHaveLength(1);
  await at.play(second, 7);
  expect(at.runs.map(({ attempt }) => attempt)).toEqual(["1", "2"]);
});

test("an agent whose result could not be stored begins anew by itself", async () => {
  const at = await scene(8, {});
  const agent = at.agent(1);
  await at.play(agent, 6);
  const { ledger } = at.on.keeper;
  const { decide } = ledger;
  ledger.decide = async () => {
    throw new Error("the disk is full");
  };
  at.runs[0]?.finish("joined");
  await settle();
  ledger.decide = decide;
  await at.play(agent, 0.5);
  expect(at.runs.map(({ attempt }) => attempt)).toEqual(["1", "2"]);
});

test("a machine without the address that it waits for is not begun, and that is told", async () => {
  const at = await scene(8, { setup: { ...SETUP, address: "nowhere" } });
  const agent = at.agent(1);
  await at.play(agent, 20);
  expect(at.runs).toEqual([]);
  expect((await ready(at)).deployments[0]?.setup).toMatchObject({ state: "waiting", tries: 0 });
  expect(await at.told()).toEqual([
    expect.stringContaining('waits for its setup: it shows no connection detail "nowhere"'),
  ]);
});

test("a launch counts as one that was good once its machine is set up: the failures before it still make the next wait", async () => {
  const at = await scene(8, {});
  const agent = at.agent(1);
  await at.play(agent, 6);
  const outcome = async () => {
    const draft = await draftOf(at.on);
    return [...draft.intents.values()].map((intent) => outcomeOf(draft, intent)?.outcome);
  };
  expect(await outcome()).toEqual(["granted"]);
  at.runs[0]?.finish("");
  await settle();
  expect(await outcome()).toEqual(["good"]);
});

test("what a person holds of a drained fleet is not set up", async () => {
  const at = await scene(8, {});
  await at.on.clock.advance(6 * MINUTE);
  const [machine] = at.on.alive();
  await at.on.keeper.ledger.decide(at.on.keeper.account, (draft) => {
    const context = contextOf(at.on.keeper);
    holdMachine(draft, machine?.id ?? "", context.now.wall + 60 * MINUTE, undefined, context);
    drainFleet(draft, "training", context);
  });
  await at.play(at.agent(1), 3);
  expect(at.on.alive()).toHaveLength(1);
  expect(at.runs).toEqual([]);
});

test("the status says what is not as it should be, with the last lines", async () => {
  const at = await scene(16, {});
  const agent = at.agent(1);
  await at.play(agent, 6);
  at.runs[0]?.finish("joined");
  at.runs[1]?.fail("no route to host");
  await settle();
  const { ledger, account } = at.on.keeper;
  const status = await accountStatus(ledger, account, contextOf(at.on.keeper));
  const text = statusText(status, at.on.clock.now(), (_, said) => said, cleanFor({ terminal: true }));
  const [done, waiting] = at.runs.map(({ id }) => id);
  expect(text).toMatch(new RegExp(`${done} +running +h100-8`));
  expect(text).toMatch(new RegExp(`${waiting} +running, setup waiting, try 1 +h100-8`));
  expect(text).toContain(`${waiting}, setup waiting, try 1: no route to host`);
  expect(text).not.toContain(`${done}, setup`);
});

const folder = mkdtempSync(join(tmpdir(), "setup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, text: string): string {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, name), 0o755);
  return `./${name}`;
}

/** The second try on a machine. */
function tried(command: string) {
  const wish = wishSchema.parse({ gpus: 8, select: {}, setup: { command: [command] } });
  if (!wish.setup) throw new Error("no setup");
  const row = { id: "d-1", connection: null, setup: { tries: 2 } };
  const fleet = { name: "web", source: `file:${folder}/fleet.yaml` };
  return { fleet, setup: wish.setup, host: "10.0.0.1", row, leftBehind: undefined } as never;
}

test("the command is told the address and which try it is; its last lines are kept", async () => {
  const command = program(
    "join.sh",
    'seq 1000; echo "$FLEETKEEPER_ADDRESS try $FLEETKEEPER_TRY $FLEETKEEPER_API_KEY"',
  );
  const { PATH } = process.env;
  const runner = setupRunner({ PATH, FLEETKEEPER_API_KEY: "canary" });
  const said = await runner.run(tried(command), () => undefined, new AbortController().signal);
  expect(said).toMatch(/\n1000\n10\.0\.0\.1 try 2$/);
  expect(said.length).toBeLessThanOrEqual(400);
  expect(said).toMatch(/^\d+\n/);
});

test("a command that is not there says nothing of the machine, and one that fails does", async () => {
  const { PATH } = process.env;
  const runner = setupRunner({ PATH });
  const run = (command: string) =>
    runner.run(tried(command), () => undefined, new AbortController().signal).catch((error: Error) => error);
  for (const command of ["./not-there.sh", "not-there.sh"]) {
    const error = await run(command);
    expect(error).toMatchObject({ message: expect.stringMatching(/there is no .*not-there\.sh/) });
    expect(error).not.toBeInstanceOf(HookFailure);
  }
  expect(await run(program("fails.sh", "exit 3"))).toBeInstanceOf(HookFailure);
});

test("what a killed agent has left running is ended, and another process with its number is not", async () => {
  const command = program("long.sh", `echo began > ${folder}/began; exec sleep 600`);
  const { PATH } = process.env;
  const runner = setupRunner({ PATH });
  const { promise: started, resolve } = Promise.withResolvers<ProcessIdentity>();
  const run = runner.run(tried(command), resolve, new AbortController().signal);
  const failure = run.catch((error: Error) => error);
  const left = await started;
  expect(systemClock().isAlive(left)).toBe(true);
  runner.end({ ...left, started: `1${left.started}` });
  runner.end({ ...left, boot: "another" });
  expect(systemClock().isAlive(left)).toBe(true);
  while (!readFileSync(join(folder, "began"), { encoding: "utf8", flag: "a+" })) await setImmediate();
  runner.end(left);
  expect(await failure).toMatchObject({ message: "./long.sh: it was ended by SIGKILL" });
  expect(systemClock().isAlive(left)).toBe(false);
});
