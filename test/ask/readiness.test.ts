import { expect, test } from "vitest";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import { readiness } from "../../agent/ask/ready.ts";
import { pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { Answer } from "../../agent/fleet/wish/machine-question.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { storeAlarms } from "../../agent/tell/notify/alarms.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { candidate, draftOf, MINUTE, onStage } from "../agent/on-stage.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import type { Stage, StageOptions } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";

const READY = { address: "host", tcp: 22, within: "10m" };

interface Scene {
  readonly on: Stage;
  /** Machines whose check fails, by the order in which they came; all those after them pass. */
  unready: number;
  readonly checks: string[];
  /** Rounds of the agent for so long, each with its checks. */
  play(minutes: number): Promise<void>;
  /** A process of its own. */
  restart(): void;
  told(): Promise<readonly string[]>;
}

async function scene(ready: NonNullable<WishInput["ready"]>, options: StageOptions = {}): Promise<Scene> {
  const on = await onStage(options);
  const order: string[] = [];
  let watch: MachineWatch;
  const made: Scene = {
    on,
    unready: 0,
    checks: [],
    play: async (minutes) => {
      for (let rounds = 0; rounds < minutes * 4; rounds++) {
        await on.clock.advance(15_000);
        watch.pump();
        await watch.settled();
        await on.keeper.ledger.decide(on.keeper.account, (draft) => storeAlarms(draft, contextOf(on.keeper)));
      }
    },
    restart: () => {
      const ready = readiness(async ({ row: { id } }): Promise<Answer> => {
        if (!order.includes(id)) order.push(id);
        made.checks.push(id);
        return order.indexOf(id) < made.unready
          ? { kind: "bad", why: "connect ECONNREFUSED" }
          : { kind: "good" };
      });
      watch = new MachineWatch(on.keeper, [ready], (text) => text);
    },
    told: async () =>
      (await on.keeper.ledger.events(on.keeper.account, 200))
        .filter(({ kind }) => kind === "notReady" || kind === "stop")
        .map(({ kind, text }) => `${kind}: ${text}`)
        .reverse(),
  };
  made.restart();
  const [first = candidate(H100), ...others] = (options.offers ?? [H100, H100_SOUTH]).map(candidate);
  await on.declare({ training: { gpus: 16, candidates: [first, ...others], ready } });
  on.start();
  return made;
}

const gpus = (at: Scene): number => at.on.alive().reduce((sum, machine) => sum + machine.gpus, 0);
const launches = (at: Scene): number => at.on.launches();

test("it informs: a machine that is not ready in time is told once, and goes on running", async () => {
  const at = await scene(READY);
  at.unready = 1;
  await at.play(60);
  expect(await at.told()).toEqual([
    expect.stringMatching(/^notReady: \S+ runs and is not ready: connect ECONNREFUSED$/),
  ]);
  expect(launches(at)).toBe(2);
  at.unready = 0;
  await at.play(1);
  const { ready } = [...(await draftOf(at.on)).deployments.values()][0] ?? {};
  expect(ready).toMatchObject({ ok: true, ever: true, why: null });
});

test("a stop of one that is not ready waits while the fleet is paused", async () => {
  const at = await scene({ ...READY, replace: true });
  at.unready = 1;
  at.on.simulator.control.faults.chance("stop", [{ fault: { kind: "dropBefore" }, probability: 1 }]);
  await at.play(20);
  expect((await at.told()).filter((text) => text.startsWith("stop"))).toHaveLength(1);
  await at.on.keeper.ledger.decide(at.on.keeper.account, (draft) =>
    pauseFleet(draft, "training", contextOf(at.on.keeper)),
  );
  await at.play(1);
  at.on.simulator.control.faults.clear();
  await at.play(20);
  expect(gpus(at)).toBe(16);
  expect(at.on.simulator.truth().requests.stop).toBeGreaterThan(0);
  await at.on.keeper.ledger.decide(at.on.keeper.account, (draft) =>
    resumeFleet(draft, "training", contextOf(at.on.keeper)),
  );
  await at.play(20);
  expect(launches(at)).toBe(3);
});

test("it replaces only where the fleet says so: the machine is stopped, another one comes, and the count is exact", async () => {
  const at = await scene({ ...READY, replace: true });
  at.unready = 1;
  await at.play(60);
  const told = await at.told();
  expect(told.filter((text) => text.startsWith("stop"))).toEqual([
    expect.stringContaining("it runs and was not ready within 10m: connect ECONNREFUSED"),
  ]);
  expect(launches(at)).toBe(3);
  expect(gpus(at)).toBe(16);
});

test("one at a time, backing off, and after three in a row no more: a check that is wrong burns no balance", async () => {
  const at = await scene({ ...READY, replace: true }, { ledger: new MemoryLedger() });
  at.unready = 1_000;
  let most = 0;
  for (let hours = 0; hours < 8; hours++) {
    await at.play(60);
    most = Math.max(most, 2 - at.on.alive().filter(({ state }) => state === "running").length);
  }
  expect(launches(at)).toBe(2 + 3);
  expect(gpus(at)).toBe(16);
  expect(most).toBeLessThanOrEqual(1);
  expect((await at.told()).at(-1)).toContain(
    "3 machines in a row were stopped because they were not ready, so no more are",
  );
});

test("each replacement in vain makes the next launch there wait longer, as a launch that failed does", async () => {
  const at = await scene({ ...READY, replace: true }, { offers: [H100] });
  at.unready = 1_000;
  await at.play(120);
  const stops = (await at.on.keeper.ledger.events(at.on.keeper.account, 200)).filter(
    ({ kind }) => kind === "stop",
  );
  expect(stops).toHaveLength(3);
  const sent = at.on.simulator.truth().launches.map((launch) => launch.at);
  expect(sent).toHaveLength(5);
  expect((sent.at(-1) ?? 0) - (stops[0]?.at ?? 0)).toBeGreaterThanOrEqual(120_000);
});

test("a machine that was ready once is never stopped for it", async () => {
  const at = await scene({ ...READY, replace: true });
  await at.play(10);
  at.unready = 2;
  await at.play(120);
  expect(launches(at)).toBe(2);
  expect((await at.told()).filter((text) => text.startsWith("notReady"))).toHaveLength(2);
});

test("an agent that was away looks for the whole time before it stops anything", async () => {
  const at = await scene({ ...READY, replace: true });
  at.unready = 1;
  await at.on.clock.advance(120 * MINUTE);
  await at.play(9);
  expect(launches(at)).toBe(2);
  at.unready = 0;
  await at.play(30);
  expect(launches(at)).toBe(2);
});

test("an agent that looked once and was away has to see it fail for the whole time again", async () => {
  const at = await scene({ ...READY, replace: true });
  at.unready = 1;
  await at.play(6);
  await at.on.clock.advance(120 * MINUTE);
  at.restart();
  await at.play(1);
  expect(launches(at)).toBe(2);
  expect(at.on.alive()).toHaveLength(2);
  await at.play(12);
  expect(launches(at)).toBe(3);
});

test("a machine that is not certainly ours is not stopped", async () => {
  const at = await scene({ ...READY, replace: true }, { dialect: "nested" });
  at.unready = 1;
  await at.play(5);
  await at.on.keeper.ledger.decide(at.on.keeper.account, (draft) => {
    for (const row of draft.deployments.values()) deploymentAsFound(draft, { ...row, claim: "inferred" });
  });
  await at.play(60);
  expect(launches(at)).toBe(2);
  expect(gpus(at)).toBe(16);
});

test("machines that are ready are asked again each minute only, and nobody asks where no check is declared", async () => {
  const at = await scene(READY);
  await at.play(10);
  at.checks.length = 0;
  await at.play(10);
  expect(at.checks.length).toBeGreaterThanOrEqual(2 * 9);
  expect(at.checks.length).toBeLessThanOrEqual(2 * 11);
  await at.on.declare({ training: { gpus: 16, candidates: [candidate(H100), candidate(H100_SOUTH)] } });
  at.checks.length = 0;
  await at.play(5);
  expect(at.checks).toEqual([]);
});
