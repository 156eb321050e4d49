import { afterEach, expect, it } from "vitest";
import { watch } from "../../agent/tell/http/index.ts";
import { Recoveries } from "../../agent/tell/http/measures/chart-sampler.ts";
import type { Scene } from "./scene.ts";
import { MINUTE, NORTH, scene } from "./scene.ts";

let on: Scene | undefined;
afterEach(() => on?.close());

const DAY = 24 * 60 * MINUTE;

it("writes one stretch a change, and goes on with the last one while nothing changes", async () => {
  on = await scene({ settings: {} });
  await on.declare({ training: { gpus: 16, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(20 * MINUTE);
  const { account } = on.keeper;
  const first = await on.ledger.stretches(account, 0);
  expect(first.at(0)?.fleets).toEqual({ training: [16, 0, 0] });
  expect(first.at(-1)?.fleets).toEqual({ training: [16, 16, 0] });
  expect(first.at(-1)).toMatchObject({ perHour: "32.0000", balance: "968.0000" });
  await on.clock.advance(20 * MINUTE);
  const later = await on.ledger.stretches(account, 0);
  expect(later.length).toBe(first.length);
  expect(on.clock.now() - (later.at(-1)?.until ?? 0)).toBeLessThanOrEqual(90_000);
  // Without a hole and in order: each ends where the next one begins.
  for (const [index, { until }] of later.slice(0, -1).entries()) expect(until).toBe(later[index + 1]?.at);
});

it("reads the balance every five minutes, sooner after a change, and no more", async () => {
  on = await scene();
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const before = on.simulator.truth().requests.balance ?? 0;
  await on.clock.advance(50 * MINUTE);
  expect((on.simulator.truth().requests.balance ?? 0) - before).toBeLessThanOrEqual(11);
  expect((on.simulator.truth().requests.balance ?? 0) - before).toBeGreaterThanOrEqual(9);
  const [running] = on.simulator.truth().machines;
  on.simulator.control.interrupt(running?.id ?? "", { now: true });
  const atLoss = on.simulator.truth().requests.balance ?? 0;
  await on.clock.advance(2 * MINUTE);
  expect((on.simulator.truth().requests.balance ?? 0) - atLoss).toBeGreaterThanOrEqual(1);
});

it("forgets what is older than thirty days", async () => {
  on = await scene();
  const { account } = on.keeper;
  const stretch = { balance: null, perHour: null, fleets: {} };
  const old = on.clock.now() - 31 * DAY;
  const kept = on.clock.now() - 29 * DAY;
  await on.ledger.putStretch(account, { ...stretch, at: old, until: old + 1 }, 0);
  await on.ledger.putStretch(account, { ...stretch, at: kept, until: kept + 1 }, 0);
  on.start();
  await on.clock.advance(MINUTE);
  expect((await on.ledger.stretches(account, 0))[0]?.at).toBe(kept);
});

it("goes on after a restart where the process before it stopped, and still knows which fleet is short", async () => {
  on = await scene();
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  on.simulator.control.cooldown(NORTH, 3600);
  const [running] = on.simulator.truth().machines;
  on.simulator.control.interrupt(running?.id ?? "", { now: true });
  await on.clock.advance(10 * MINUTE);
  const before = await on.ledger.stretches(on.keeper.account, 0);
  const next = watch({ keeper: on.keeper, history: on.ledger, version: "1.2.3" });
  const { url } = await next.serve({ host: "127.0.0.1", port: 0 }, undefined);
  next.onTick({
    believed: true,
    plans: [],
    launched: [],
    looking: false,
    hasParts: false,
    isOfSeveral: false,
    wake: 15_000,
  });
  await next.settled();
  const after = await on.ledger.stretches(on.keeper.account, 0);
  expect(after.map(({ at }) => at)).toEqual(before.map(({ at }) => at));
  const metrics = await (await fetch(`${url}metrics`)).text();
  const short = Number(/fleetkeeper_fleet_short_seconds\{fleet="training"\} (\S+)/.exec(metrics)?.[1]);
  expect(short).toBeGreaterThan(500);
  await next.close();
});

it("a recovery is from a loss until the count is reached again, and nothing else", () => {
  const recoveries = new Recoveries();
  const at = (moment: number, asked: number, running: number) =>
    recoveries.follow({ at: moment, fleets: { web: [asked, running, 0] } });
  // Growing is none.
  expect([at(0, 8, 0), at(10, 8, 8), at(20, 16, 8), at(30, 16, 16)].flat()).toEqual([]);
  // A loss is, from its first moment on, whatever is lost or won meanwhile.
  expect([at(40, 16, 8), at(50, 16, 0), at(60, 16, 8)].flat()).toEqual([]);
  expect([...recoveries.short]).toEqual([["web", 40]]);
  expect(at(100, 16, 16)).toEqual([{ fleet: "web", ms: 60 }]);
  expect([...recoveries.short]).toEqual([]);
  // Asking for less ends it too; a fleet that is over is forgotten.
  expect(at(110, 16, 8)).toEqual([]);
  expect(at(120, 8, 8)).toEqual([{ fleet: "web", ms: 10 }]);
  at(130, 8, 0);
  recoveries.follow({ at: 140, fleets: {} });
  expect([...recoveries.short]).toEqual([]);
});
