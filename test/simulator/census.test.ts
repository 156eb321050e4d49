import { expect, test } from "vitest";
import { aliveAt, peakAlive } from "../../simulator/index.ts";
import { HERE, SimulatorBench, THERE } from "./bench.ts";

test("the number of machines alive is known for any time", async () => {
  const bench = new SimulatorBench();
  const start = bench.clock.now();
  const first = await bench.launched(HERE);
  await bench.seconds(10);
  await bench.launched(THERE);
  await bench.seconds(10);
  await bench.stop(first);
  await bench.launched(THERE);
  await bench.seconds(100);
  const { truth } = bench;
  const counts = [-1, 0, 9.999, 10, 19.999, 20, 24.999, 25].map(
    (s) => aliveAt(truth, start + s * 1000).length,
  );
  expect(counts).toEqual([0, 1, 1, 2, 2, 2, 2, 2]);
  expect(peakAlive(truth)).toEqual({ count: 2, at: start + 10_000 });
  expect(peakAlive(truth, { stopping: true })).toEqual({ count: 3, at: start + 20_000 });
  expect(aliveAt(truth, start + 25_000, { stopping: true })).toHaveLength(2);
  expect(peakAlive(truth, { where: ({ combination }) => combination.location === "mars" }).count).toBe(1);
});

test("a machine that failed or was interrupted is alive no more", async () => {
  const bench = new SimulatorBench();
  bench.control.failNext(HERE, {}, { during: "initializing" });
  await bench.launched(HERE);
  const lost = await bench.launched(THERE);
  await bench.seconds(60);
  expect(aliveAt(bench.truth, bench.clock.now())).toHaveLength(1);
  bench.control.interrupt(lost, { now: true });
  expect(aliveAt(bench.truth, bench.clock.now())).toEqual([]);
});
