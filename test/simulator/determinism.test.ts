import { expect, test } from "vitest";
import type { Truth } from "../../simulator/index.ts";
import { ELSEWHERE, HERE, SimulatorBench, THERE } from "./bench.ts";

/** A day of several clients at once in bad weather, each with its own rhythm. */
async function day(seed: string): Promise<Truth> {
  const bench = new SimulatorBench({
    seed,
    balance: "5000",
    latencyMs: 40,
    settings: {
      initializingSeconds: [1, 60],
      connectingSeconds: [1, 60],
      failureRate: 0.2,
      interruptionsPerDay: 10,
    },
  });
  bench.control.faults.chance("launch", [
    { fault: { kind: "dropAfter" }, probability: 0.1 },
    { fault: { kind: "commitLate", seconds: 77 }, probability: 0.1 },
    { fault: { kind: "slow", seconds: 9 }, probability: 0.1 },
  ]);
  bench.control.faults.chance("deployments", [{ fault: { kind: "cut" }, probability: 0.2 }]);
  const client = async (place: object, pauseMs: number): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      await bench.launch(place, `${pauseMs} ${round}`).catch(() => undefined);
      await bench.clock.sleep(pauseMs);
      const [first] = await bench.list();
      if (first !== undefined && round % 3 === 0) await bench.stop(first.id);
    }
  };
  const clients = [client(HERE, 600_000), client(THERE, 600_000), client(ELSEWHERE, 700_001)];
  await bench.clock.run(Promise.all(clients));
  await bench.seconds(3600);
  return bench.truth;
}

test("the same seed gives the same truth, byte for byte; another seed another", async () => {
  const first = JSON.stringify(await day("a"));
  expect(JSON.stringify(await day("a"))).toBe(first);
  expect(JSON.stringify(await day("b"))).not.toBe(first);
});

test("idle years cost nothing: 5000 days in few steps, and the machine is paid for all of them", async () => {
  const bench = new SimulatorBench({ balance: "1000000" });
  await bench.launched();
  await bench.seconds(60 + 5000 * 86_400);
  expect(bench.truth.machines[0]?.statement.charged).toBe("432000.0000");
});

test("a truth that was taken does not change any more, and survives JSON", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "commitLate", seconds: 100 });
  await bench.launch().catch(() => undefined);
  await bench.launched();
  const { truth } = bench;
  const text = JSON.stringify(truth);
  bench.control.faults.next("launch", { kind: "refuse" });
  await bench.launch().catch(() => undefined);
  await bench.seconds(1000);
  expect(await bench.list()).toHaveLength(2);
  expect(JSON.stringify(truth)).toBe(text);
  const { launches, machines, faults } = JSON.parse(JSON.stringify(bench.truth));
  expect([launches.length, machines.length, faults.length]).toEqual([3, 2, 2]);
});
