import { expect, test } from "vitest";
import { ELSEWHERE, HERE, SimulatorBench, THERE } from "./bench.ts";

test("a lost machine shows running until the next check, 5 minutes apart from the start", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(301);
  bench.control.interrupt(id);
  await bench.seconds(298.999);
  expect(await bench.get(id)).toMatchObject({ status: "running", stop_reason: null });
  await bench.seconds(0.001);
  expect(await bench.get(id)).toMatchObject({ status: "interrupted", stop_reason: "provider_interrupted" });
  expect(await bench.list()).toHaveLength(1);
  const [machine] = bench.truth.machines;
  expect([machine?.lostAt, machine?.endedAt]).toEqual([
    Number(machine?.committedAt) + 301_000,
    Number(machine?.committedAt) + 600_000,
  ]);
});

test("a machine lost in the moment of a check waits for the next one", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(300);
  bench.control.interrupt(id);
  await bench.seconds(299);
  expect((await bench.get(id)).status).toBe("running");
  await bench.seconds(1);
  expect((await bench.get(id)).status).toBe("interrupted");
});

test("maintenance of its provider defers the interruption until the first check after its end", async () => {
  const bench = new SimulatorBench();
  const here = await bench.launched(HERE);
  const other = await bench.launched(ELSEWHERE);
  await bench.seconds(100);
  bench.control.maintenance("acme", true);
  bench.control.interrupt(here);
  bench.control.interrupt(other);
  await bench.seconds(3600);
  expect((await bench.get(here)).status).toBe("running");
  expect((await bench.get(other)).status).toBe("interrupted");
  bench.control.maintenance("acme", false);
  await bench.seconds(199);
  expect((await bench.get(here)).status).toBe("running");
  await bench.seconds(1);
  expect((await bench.get(here)).status).toBe("interrupted");
});

test("time in maintenance after the loss is refunded as well", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60 + 1000);
  bench.control.maintenance("acme", true);
  bench.control.interrupt(id);
  await bench.seconds(86_400);
  bench.control.maintenance("acme", false);
  await bench.seconds(300);
  expect(await bench.balance()).toBe("99.0000");
});

test("a loss can be shown at once", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60);
  bench.control.interrupt(id, { now: true });
  expect((await bench.get(id)).status).toBe("interrupted");
});

test("a machine lost before it runs is a failed launch", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  bench.control.interrupt(id);
  expect(await bench.get(id)).toMatchObject({ status: "failed", failure_code: "PLATFORM_PROVIDER_ISSUE" });
  expect(await bench.balance()).toBe("100.0000");
});

test("a whole place can lose its machines", async () => {
  const bench = new SimulatorBench({ balance: "1000" });
  const ids = [await bench.launched(HERE), await bench.launched(THERE), await bench.launched(ELSEWHERE)];
  await bench.seconds(60);
  expect(bench.control.loseMachinesIn({ location: "mars" }, { now: true })).toEqual([ids[0], ids[2]]);
  expect((await bench.list()).map(({ status }) => status)).toEqual(["interrupted", "running", "interrupted"]);
});

test("a lost machine that its user stops is stopped, not interrupted", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(61);
  bench.control.interrupt(id);
  await bench.stop(id);
  await bench.seconds(600);
  expect((await bench.get(id)).status).toBe("stopped");
});

test("with interruptionsPerDay machines get lost by themselves, about so often", async () => {
  const bench = new SimulatorBench({ balance: "100000", settings: { interruptionsPerDay: 4 } });
  for (let number = 0; number < 200; number += 1) await bench.launched();
  await bench.seconds(21_600); // a quarter of a day: on average one loss, so 1/e survive
  const survivors = (await bench.list()).filter(({ status }) => status === "running").length;
  expect(survivors).toBeGreaterThan(50);
  expect(survivors).toBeLessThan(100);
});

test("with getAsksProvider a GET by id shows a loss before the check, but in maintenance, and lists show it from then on", async () => {
  const bench = new SimulatorBench({ settings: { getAsksProvider: true } });
  const id = await bench.launched();
  await bench.seconds(301);
  bench.control.interrupt(id);
  expect(await bench.list()).toMatchObject([{ status: "running" }]);
  bench.control.maintenance("acme", true);
  expect((await bench.get(id)).status).toBe("running");
  bench.control.maintenance("acme", false);
  expect(await bench.get(id)).toMatchObject({ status: "interrupted", stop_reason: "provider_interrupted" });
  expect(await bench.list()).toMatchObject([{ status: "interrupted" }]);
});
