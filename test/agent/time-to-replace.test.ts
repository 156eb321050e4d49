import { expect, test } from "vitest";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { Service } from "../../service/contract/service.ts";
import { readable } from "../../service/contract/unread.ts";
import { Prng } from "../../simulator/prng.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, MINUTE, onStage } from "./on-stage.ts";

const LATENCY = 40;

async function running(select: boolean): Promise<Stage> {
  const on = await onStage({ latencyMs: LATENCY });
  const source = select
    ? { select: { gpuModel: "H100" } }
    : { candidates: [candidate(H100), candidate(H100_SOUTH)] };
  await on.declare({ training: { gpus: 32, ...source } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().map(({ state }) => state)).toEqual(Array(on.alive().length).fill("running"));
  return on;
}

const offered = [true, false].map((select) => ({ select, from: select ? "a selector" : "candidates" }));

test.each(offered)(
  "the replacement's POST leaves in the very tick whose list first shows the loss, with $from",
  async ({ select }) => {
    const on = await running(select);
    const launched = on.launches();
    const ticks = on.reports.length;
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    const lost = on.clock.now();
    await on.clock.advance(16_000);
    const [report] = on.reports.slice(ticks);
    expect(report?.launched.map(({ result }) => result.kind)).toEqual(["claimed"]);
    expect(on.launches()).toBe(launched + 1);
    const sent = on.simulator.truth().launches.at(-1)?.at ?? 0;
    // The list (and the offers where they are needed), each there and back, and the POST on its way: no wait in between.
    const [seen] = on.reports.slice(ticks);
    expect(seen).toBeDefined();
    const listed = nextPoll(on, lost);
    expect(sent - listed).toBeLessThanOrEqual(250);
  },
);

test("many that are lost at once are replaced in that tick, too", async () => {
  const on = await running(false);
  const launched = on.launches();
  const ids = on.alive().map(({ id }) => id);
  for (const id of ids) on.simulator.control.interrupt(id, { now: true });
  const ticks = on.reports.length;
  await on.clock.advance(16_000);
  expect(on.reports[ticks]?.launched).toHaveLength(ids.length);
  expect(on.launches()).toBe(launched + ids.length);
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().reduce((sum, { gpus }) => sum + gpus, 0)).toBe(32);
});

test("of 300 losses, while POSTs hang now and then, 99 of 100 are replaced within 250 ms of the list that shows them", async () => {
  const on = await onStage({ latencyMs: LATENCY, balance: "9000000.0000", ledger: new MemoryLedger() });
  const waits = watchWaits(on);
  const candidates = [candidate(H100), candidate(H100_SOUTH)];
  await on.declare({
    alpha: { gpus: 64, candidates },
    beta: { gpus: 64, candidates },
    gamma: { gpus: 64, candidates },
  });
  on.start();
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toHaveLength(24);
  waits.length = 0;
  const random = new Prng("losses");
  for (let losses = 0; losses < 300; losses++) {
    const running = on.alive().filter(({ state }) => state === "running");
    on.simulator.control.interrupt(running[random.integer(0, running.length - 1)]?.id ?? "", { now: true });
    if (losses % 10 === 0) on.simulator.control.faults.next("launch", { kind: "slow", seconds: 100 });
    await on.clock.advance(random.integer(2_000, 30_000));
  }
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(24);
  expect(waits).toHaveLength(300);
  const [p99] = [...waits].sort((one, other) => one - other).slice(Math.ceil(300 * 0.99) - 1);
  expect(p99).toBeLessThanOrEqual(250);
});

test("a POST that hangs delays no list: what is lost meanwhile, in the same fleet too, is replaced within a poll", async () => {
  const on = await running(false);
  const launched = on.launches();
  on.simulator.control.faults.next("launch", { kind: "slow", seconds: 110 });
  on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
  await on.clock.advance(20_000);
  expect(on.launches()).toBe(launched + 1);
  const lists = on.simulator.truth().requests.deployments;
  on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
  await on.clock.advance(16_000);
  expect(on.launches()).toBe(launched + 2);
  await on.clock.advance(60_000);
  // One list a poll, no more: nothing is asked in a hurry while nothing is answered.
  expect(on.simulator.truth().requests.deployments - lists).toBeLessThanOrEqual(6);
  await on.clock.advance(10 * MINUTE);
  expect(on.launches()).toBe(launched + 2);
  expect(on.alive().reduce((sum, { gpus }) => sum + gpus, 0)).toBe(32);
});

test("a stop call that hangs delays no list, and is not sent a second time meanwhile", async () => {
  const on = await running(false);
  on.simulator.control.faults.next("stop", { kind: "slow", seconds: 100 });
  await on.declare({ training: { gpus: 24, candidates: [candidate(H100), candidate(H100_SOUTH)] } });
  await on.clock.advance(20_000);
  const launched = on.launches();
  const lost = on.alive().slice(0, 2);
  for (const { id } of lost) on.simulator.control.interrupt(id, { now: true });
  await on.clock.advance(16_000);
  expect(on.launches()).toBeGreaterThan(launched);
  await on.clock.advance(40_000);
  expect(on.simulator.truth().requests.stop).toBe(1);
  // The loop's end waits for its answer.
  await on.clock.advance(MINUTE);
});

/** Tells, for each launch, how long after the list that first showed a loss it left, in milliseconds. */
function watchWaits(on: Stage): number[] {
  const waits: number[] = [];
  const ended = new Set<string>();
  const shown: number[] = [];
  const { service } = on.keeper;
  const watched: Service = {
    ...service,
    deployments: async (signal) => {
      const all = await service.deployments(signal);
      for (const { id, status } of readable(all)) {
        if (status !== "interrupted" || ended.has(id)) continue;
        ended.add(id);
        shown.push(on.clock.now());
      }
      return all;
    },
    launch: (request, signal) => {
      waits.push(on.clock.now() - (shown.shift() ?? Number.NEGATIVE_INFINITY));
      return service.launch(request, signal);
    },
  };
  Object.assign(on.keeper, { service: watched });
  return waits;
}

/** When the list that followed the loss was answered: the newest list's own start, and its way there and back. */
function nextPoll(on: Stage, lost: number): number {
  const polls = 15_000 + 2 * LATENCY;
  const sent = on.simulator.truth().launches.at(-1)?.at ?? 0;
  expect(sent - lost).toBeLessThanOrEqual(polls + 250);
  return sent - 3 * LATENCY;
}
