import { setImmediate as nextRound } from "node:timers/promises";
import { expect, test } from "vitest";
import { VirtualClock } from "../../simulator/virtual-clock.ts";

test("sleepers wake by time, then by the order of falling asleep, at exactly their time", async () => {
  const clock = new VirtualClock(1000);
  const woken: string[] = [];
  const sleeper = async (name: string, ms: number): Promise<void> => {
    await clock.sleep(ms);
    woken.push(`${name} ${clock.now()}`);
  };
  const all = [sleeper("a", 30), sleeper("b", 10), sleeper("c", 30), sleeper("d", 20)];
  await clock.advance(25);
  expect(woken).toEqual(["b 1010", "d 1020"]);
  expect([clock.now(), clock.monotonic(), clock.sleeping, clock.nextWake]).toEqual([1025, 25, 2, 1030]);
  await clock.run(Promise.all(all));
  expect(woken.slice(2)).toEqual(["a 1030", "c 1030"]);
});

test("chains of promises come to rest before time goes on", async () => {
  const clock = new VirtualClock(0);
  const times: number[] = [];
  const chain = async (): Promise<void> => {
    await clock.sleep(10);
    for (let hop = 0; hop < 100; hop += 1) await Promise.resolve();
    await nextRound();
    await clock.sleep(1);
    times.push(clock.now());
  };
  const other = async (): Promise<void> => {
    await clock.sleep(1000);
    times.push(clock.now());
  };
  await clock.run(Promise.all([other(), chain()]));
  expect(times).toEqual([11, 1000]);
});

test("what is held keeps time from going on", async () => {
  const clock = new VirtualClock(0);
  let finish = (): void => undefined;
  const real = clock.hold(new Promise<void>((resolve) => (finish = resolve)));
  const seen: number[] = [];
  real.then(() => seen.push(clock.now()));
  const advanced = clock.advance(1000);
  for (let round = 0; round < 10; round += 1) await nextRound();
  expect(clock.now()).toBe(0);
  finish();
  await advanced;
  expect([seen, clock.now()]).toEqual([[0], 1000]);
});

test("an aborted sleep rejects with the reason and is forgotten", async () => {
  const clock = new VirtualClock(0);
  const controller = new AbortController();
  const reason = new Error("enough");
  const sleep = expect(clock.sleep(10, controller.signal)).rejects.toBe(reason);
  controller.abort(reason);
  await sleep;
  expect(clock.sleeping).toBe(0);
  await expect(clock.sleep(10, controller.signal)).rejects.toBe(reason);
});

test("run gives what the promise gives, and goes no further than it needs", async () => {
  const clock = new VirtualClock(0);
  clock.sleep(5000);
  expect(await clock.run(clock.sleep(7).then(() => "done"))).toBe("done");
  expect(clock.now()).toBe(7);
  const failing = clock.sleep(1).then(() => Promise.reject(new Error("no")));
  await expect(clock.run(failing)).rejects.toThrow("no");
});

test("run says so when everybody waits for nothing", async () => {
  await expect(new VirtualClock().run(new Promise(() => undefined))).rejects.toThrow("cannot go on");
});

test("runUntilIdle ends with the last sleeper, or at its limit", async () => {
  const clock = new VirtualClock(0);
  const steps = async (): Promise<void> => {
    for (let step = 0; step < 5; step += 1) await clock.sleep(100);
  };
  steps();
  await clock.runUntilIdle(250);
  expect(clock.now()).toBe(200);
  await clock.runUntilIdle();
  expect(clock.now()).toBe(500);
});
