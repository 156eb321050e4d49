import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test, vi } from "vitest";
import { beforeStop, type RunForMachine } from "../../agent/ask/before-stop.ts";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import { drainFleet, pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { chooseStop } from "../../agent/planning/machines/before-stop.ts";
import { orderEmergencyStop } from "../../agent/status/emergency-stop.ts";
import type { Context } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { contextOf } from "../../launch/keeper.ts";
import { waking } from "../../launch/mark-wake.ts";
import { holdMachine } from "../../launch/people/machine-hold.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { identityOf } from "../../ledger/system-clock.ts";
import { candidate, draftOf, MINUTE, onStage, SECOND } from "../agent/on-stage.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SINGLE } from "../support/stage.ts";

const POLL = 15 * SECOND;
const HOOK = { command: ["./save.sh"], within: "10m" };
const wish = { gpus: 16, candidates: [candidate(H100)] };

interface Scene {
  readonly on: Stage;
  /** How long the command takes, how it ends, and the process that it is. */
  hook: { lasts: number; fails?: string; program?: ProcessIdentity | undefined; isLedgerBusy?: true };
  /** What was run, and how long each took: minutes since the scene began. */
  readonly runs: {
    readonly id: string;
    readonly from: number;
    to?: number;
    readonly why: string;
    readonly until: number;
    /** What the ledger says of its process when it begins. */
    readonly named: ProcessIdentity | undefined;
    readonly endsWithUs: boolean | undefined;
  }[];
  play(minutes: number): Promise<void>;
  /** Its agent dies, and another one goes on. */
  restart(): void;
  decide(decision: (draft: Draft, context: Context) => void): Promise<void>;
  row(id: string): Promise<DeploymentRow | undefined>;
  told(): Promise<readonly string[]>;
  /** Minutes since the scene began. */
  now(): number;
  readonly ids: readonly string[];
  stopped(): readonly string[];
}

/** Two machines that run for ten minutes. */
async function scene(more: Partial<WishInput> = {}): Promise<Scene> {
  const on = await onStage();
  const began = on.clock.now();
  let pid = 1;
  let watch: MachineWatch;
  let ending = new AbortController();
  const minutes = (wall: number): number => (wall - began) / MINUTE;
  const made: Scene = {
    on,
    hook: { lasts: 2 * MINUTE },
    runs: [],
    ids: [],
    now: () => minutes(on.clock.now()),
    play: async (length) => {
      for (let rounds = 0; rounds < length * 4; rounds++) {
        await on.clock.advance(POLL);
        watch.pump();
        await on.clock.advance(0);
      }
    },
    restart: () => {
      ending.abort(new Error("killed"));
      ending = new AbortController();
      const { signal: killed } = ending;
      pid += 1;
      const self = { boot: "boot", pid, started: "0" };
      const clock = { ...on.keeper.clock, self, isAlive: (each: { pid: number }) => each.pid === pid };
      const keeper: Keeper = { ...on.keeper, clock };
      const run: RunForMachine = async ({ row }, { more, onStart, endsWithUs }, signal) => {
        const { program, isLedgerBusy } = made.hook;
        if (isLedgerBusy) vi.spyOn(on.keeper.ledger, "decide").mockRejectedValueOnce(new Error("busy"));
        if (program) await onStart?.(program);
        const { FLEETKEEPER_WHY: why = "", FLEETKEEPER_UNTIL: until = "" } = more ?? {};
        const each: Scene["runs"][number] = {
          id: row.id,
          from: made.now(),
          why,
          until: minutes(Date.parse(until)),
          named: program && (await made.row(row.id))?.stop?.hook?.program,
          endsWithUs,
        };
        made.runs.push(each);
        await on.clock.sleep(made.hook.lasts, AbortSignal.any([signal, killed]));
        each.to = made.now();
        if (made.hook.fails !== undefined) throw new Error(made.hook.fails);
      };
      const dead = new Promise<never>(() => undefined);
      watch = new MachineWatch(
        keeper,
        [
          beforeStop(keeper, (...given) =>
            run(...given).catch((error: Error) => (killed.aborted ? dead : Promise.reject(error))),
          ),
        ],
        (text) => text,
      );
    },
    decide: async (decision) => {
      const { keeper } = on;
      await keeper.ledger.decide(
        keeper.account,
        waking((draft) => decision(draft, contextOf(keeper))),
      );
    },
    row: async (id) => (await draftOf(on)).deployments.ever(id),
    told: async () =>
      (await on.keeper.ledger.events(on.keeper.account, 200))
        .filter(({ kind }) => ["stopHook", "notSaved", "stop", "resumed"].includes(kind))
        .map(({ kind, text }) => `${kind}: ${text}`)
        .reverse(),
    stopped: () => made.ids.filter((id) => !isAlive(on, id)),
  };
  made.restart();
  await on.declare({ training: { ...wish, beforeStop: HOOK, ...more } });
  on.start();
  await made.play(10);
  Object.assign(made, { ids: on.alive().map(({ id }) => id) });
  return made;
}

const isAlive = (on: Stage, id: string): boolean =>
  on.alive().some((each) => each.id === id && each.state !== "stopping");

const lower = (at: Scene, more: object = {}) =>
  at.on.declare({ training: { ...wish, beforeStop: HOOK, ...more, gpus: 8 } });

test("a machine that is stopped for a lower count saves its work first, and goes as soon as that is done", async () => {
  const at = await scene();
  await lower(at);
  await at.play(1);
  expect(at.runs).toMatchObject([{ why: "8 GPUs are asked for" }]);
  const [run] = at.runs;
  expect(run?.until).toBeCloseTo((run?.from ?? 0) + 10, 0);
  expect(at.stopped()).toEqual([]);
  await at.play(2);
  expect(at.stopped()).toEqual([run?.id]);
  expect(at.runs).toHaveLength(1);
  expect(at.on.launches()).toBe(2);
  expect(await at.told()).toEqual([
    expect.stringMatching(/^stop: stopping \S+: 8 GPUs are asked for$/),
    expect.stringMatching(/^stopHook: the beforeStop of \S+ runs, until \S+Z at most: 8 GPUs are asked for$/),
  ]);
});

test("a command that fails is told, and holds nothing; one that hangs is ended at its deadline", async () => {
  const at = await scene();
  at.hook = { lasts: 0, fails: "./save.sh: it ended with 1: disk full" };
  await lower(at);
  await at.play(1);
  expect(at.stopped()).toHaveLength(1);
  expect(await at.told()).toContainEqual(
    expect.stringMatching(
      /^notSaved: the beforeStop of \S+ failed, and the machine is stopped: .*disk full$/,
    ),
  );
  at.hook = { lasts: 500 * MINUTE };
  await at.decide((draft, context) => void drainFleet(draft, "training", context));
  await at.play(9.5);
  expect(at.stopped()).toHaveLength(1);
  await at.play(1);
  expect(at.stopped()).toHaveLength(2);
});

test("a fleet begins so much before its deadline, and a machine that hangs is stopped at it", async () => {
  const at = await scene();
  const wall = at.on.clock.now() + 40 * MINUTE;
  at.hook = { lasts: 500 * MINUTE };
  await at.on.declare({
    training: { ...wish, beforeStop: HOOK, until: new Date(wall).toISOString() },
  });
  const end = at.now() + 40;
  await at.play(29.5);
  expect(at.runs).toEqual([]);
  await at.play(1);
  expect(at.runs).toHaveLength(2);
  for (const run of at.runs) expect(run.until).toBeLessThanOrEqual(end);
  await at.play(9);
  expect(at.stopped()).toEqual([]);
  await at.play(1);
  expect(at.stopped()).toHaveLength(2);
  expect(at.on.launches()).toBe(2);
});

test("a total is never passed: the command begins before the hour that would", async () => {
  const at = await scene({ budget: { total: "64" } });
  at.hook = { lasts: 500 * MINUTE };
  await at.play(200);
  expect(at.runs).toHaveLength(2);
  expect(at.on.alive()).toEqual([]);
  const hours = at.on.simulator
    .truth()
    .machines.map(({ committedAt, endedAt }) => Math.ceil(((endedAt ?? 0) - committedAt) / (60 * MINUTE)));
  const paid = hours.reduce((sum, each) => sum + each * 16, 0);
  expect(paid).toBeLessThanOrEqual(64);
  for (const { from } of at.runs) expect(from).toBeLessThan(112);
});

test("after a restart it is run again only if it may be: else the machine is stopped at the deadline", async () => {
  const at = await scene();
  at.hook = { lasts: 3 * MINUTE };
  await lower(at);
  await at.play(1);
  at.restart();
  await at.play(8.5);
  expect(at.runs).toHaveLength(1);
  expect(at.stopped()).toEqual([]);
  await at.play(1);
  expect(at.stopped()).toHaveLength(1);

  const other = await scene({ beforeStop: { ...HOOK, again: true } });
  other.hook = { lasts: 3 * MINUTE };
  await lower(other, { beforeStop: { ...HOOK, again: true } });
  await other.play(1);
  other.restart();
  await other.play(5);
  expect(other.runs).toHaveLength(2);
  expect(other.stopped()).toHaveLength(1);
});

test("a command that outlived its agent is ended before it is run again, and no other process with its pid is", async () => {
  for (const isSame of [true, false]) {
    const left = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    const ended = once(left, "exit");
    onTestFinished(async () => {
      left.kill("SIGKILL");
      await ended;
    });
    const program = identityOf(left.pid ?? 0);
    if (!program) return;
    const again = { beforeStop: { ...HOOK, again: true } };
    const at = await scene(again);
    at.hook = { lasts: 100 * MINUTE, program: isSame ? program : { ...program, started: "earlier" } };
    await lower(at, again);
    await at.play(1);
    at.hook = { lasts: MINUTE };
    at.restart();
    await at.play(1);
    expect(at.runs).toHaveLength(2);
    if (isSame) expect(await ended).toEqual([null, "SIGKILL"]);
    else expect([left.exitCode, left.signalCode]).toEqual([null, null]);
    const [id = ""] = at.runs.map((run) => run.id);
    expect((await at.row(id))?.stop?.hook).not.toHaveProperty("program");
  }
});

test("its process is in the ledger before it begins, also where that was busy; and it ends with its agent where it may run again", async () => {
  const program = { boot: "boot", pid: 4711, started: "12" };
  for (const again of [true, false]) {
    const asked = { beforeStop: { ...HOOK, again } };
    const at = await scene(asked);
    at.hook = { lasts: MINUTE, program, isLedgerBusy: true };
    await lower(at, asked);
    await at.play(3);
    expect(at.runs).toMatchObject([{ named: program, endsWithUs: again }]);
    expect(at.stopped()).toHaveLength(1);
  }
});

test("a count that is raised again takes the stop back, and ends the command", async () => {
  const at = await scene();
  at.hook = { lasts: 8 * MINUTE };
  await lower(at);
  await at.play(1);
  await at.on.declare({ training: { ...wish, beforeStop: HOOK } });
  await at.play(20);
  expect(at.stopped()).toEqual([]);
  expect(at.on.launches()).toBe(2);
  expect(at.runs).toHaveLength(1);
  expect(at.runs[0]?.to).toBeUndefined();
  expect(await at.told()).toContainEqual(
    expect.stringMatching(/^resumed: \S+ is not stopped after all: fleet training wants it again$/),
  );
});

test("nothing is rented beside a machine whose command runs, for new triggers as for a lower count", async () => {
  const at = await scene();
  at.hook = { lasts: 5 * MINUTE };
  await at.decide((draft) => {
    for (const id of at.ids) {
      const row = draft.deployments.ever(id);
      if (row?.owner) draft.putDeployment({ ...row, renew: row.owner });
    }
  });
  for (let rounds = 0; rounds < 60; rounds++) {
    await at.play(0.5);
    expect(at.on.alive().length).toBeLessThanOrEqual(2);
  }
  expect(at.runs).toHaveLength(2);
  expect(at.stopped()).toHaveLength(2);
  expect(at.on.launches()).toBe(4);
});

test("nobody is asked for what is stopped at once: all of stop --all, and what does not run", async () => {
  const at = await scene();
  at.hook = { lasts: 9 * MINUTE };
  await lower(at);
  await at.play(1);
  expect(at.runs).toHaveLength(1);
  await at.decide((draft, context) => void orderEmergencyStop(draft, context));
  await at.play(0.5);
  expect(at.stopped()).toHaveLength(2);
  expect(at.runs).toHaveLength(1);
  expect(at.runs[0]?.to).toBeUndefined();
});

test("a held machine is not asked before its hold is over", async () => {
  const at = await scene();
  await at.decide((draft, context) => {
    for (const id of at.ids) holdMachine(draft, id, context.now.wall + 30 * MINUTE, undefined, context);
    drainFleet(draft, "training", context);
  });
  await at.play(29);
  expect(at.runs).toEqual([]);
  await at.play(5);
  expect(at.runs).toHaveLength(2);
  expect(at.stopped()).toHaveLength(2);
});

test("a pause keeps what waits for its command, and gives it its whole time afterwards", async () => {
  const at = await scene();
  await at.decide((draft, context) => {
    drainFleet(draft, "training", context);
  });
  at.hook = { lasts: 5 * MINUTE };
  await at.play(0.25);
  await at.decide((draft, context) => {
    resumeFleet(draft, "training", context);
    pauseFleet(draft, "training", context);
  });
  await at.play(60);
  expect(at.stopped()).toEqual([]);
  await at.decide((draft, context) => void resumeFleet(draft, "training", context));
  await at.play(20);
  expect(at.stopped()).toEqual([]);
  expect(at.on.launches()).toBe(2);
});

test("a hundred machines of one GPU save their work at once", async () => {
  const at = await scene({ gpus: 40, candidates: [candidate(H100_SINGLE)] });
  await at.play(10);
  at.hook = { lasts: 9 * MINUTE };
  await at.decide((draft, context) => void drainFleet(draft, "training", context));
  await at.play(1);
  expect(at.runs).toHaveLength(40);
});

test("a deadline that leaves no time for it is refused, but not where it was declared long before", async () => {
  const at = await scene();
  const until = (minutes: number): string => new Date(at.on.clock.now() + minutes * MINUTE).toISOString();
  const soon = { ...wish, beforeStop: HOOK, until: until(9) };
  await expect(at.on.declare({ training: soon })).rejects.toThrow(
    /^fleet training: beforeStop.within is 10m, and until, \S+, leaves 9m: .* Write a shorter within, or a later until.$/,
  );
  const later = { ...wish, beforeStop: HOOK, until: until(20) };
  await at.on.declare({ training: later });
  await at.play(15);
  await at.on.declare({ training: later });
});

test.each([
  ["where the agent has it for stacks", ["./save.sh"], 2],
  ["and no stop waits for one that it has not", undefined, 0],
])("a command of a stack's fleet is run %s", async (_where, commands, runs) => {
  const at = await scene();
  await at.decide((draft, context) => {
    const { account } = draft;
    const { commands: _before, ...agent } = account.agent ?? {};
    draft.putAccount({
      ...account,
      agent: { ...agent, ...(commands && { commands }) } as typeof account.agent,
    });
    const fleet = draft.fleets.get("training");
    if (fleet) draft.putFleet({ ...fleet, source: "stack:project/dev/training#1" });
    drainFleet(draft, "training", context);
  });
  await at.play(1);
  expect(at.runs).toHaveLength(runs);
  expect(at.stopped()).toHaveLength(2 - runs);
});

test("no stop waits for a stack's command where the agent that has it has died", async () => {
  const at = await scene();
  const waits: boolean[] = [];
  await at.decide((draft, context) => {
    const { account } = draft;
    const fleet = draft.fleets.get("training");
    if (!fleet || !account.agent) throw new Error("no agent keeps it");
    draft.putFleet({ ...fleet, source: "stack:project/dev/training#1" });
    for (const [index, pid] of [1, 2].entries()) {
      const id = at.ids[index] ?? "";
      const process = { ...account.agent.process, pid };
      draft.putAccount({ ...account, agent: { ...account.agent, process, commands: ["./save.sh"] } });
      chooseStop(draft, id, "a test", context);
      waits.push(draft.deployments.ever(id)?.stop?.hook !== undefined);
    }
  });
  expect(waits).toEqual([true, false]);
});
