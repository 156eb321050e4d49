import { expect, test } from "vitest";
import { HERE, SimulatorBench, THERE } from "./bench.ts";

test("the first hour is taken at launch", async () => {
  const bench = new SimulatorBench();
  await bench.launched(THERE);
  expect(await bench.balance()).toBe("92.8000");
});

test("a failed launch is refunded in full", async () => {
  const bench = new SimulatorBench();
  bench.control.failNext(HERE, { code: "ANYTHING" }, { during: "connecting" });
  await bench.launched();
  await bench.seconds(29);
  expect(await bench.balance()).toBe("96.4000");
  await bench.seconds(31);
  expect(await bench.balance()).toBe("100.0000");
});

test("a stop before running is refunded in full once it is stopped", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(59);
  await bench.stop(id);
  await bench.seconds(5);
  expect(await bench.balance()).toBe("100.0000");
  await bench.seconds(86_400);
  expect(await bench.balance()).toBe("100.0000");
});

test("an interruption gives the unused time back, counted from the loss and not from its discovery", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60 + 100); // ran for 100 s: 0.1000 used
  bench.control.interrupt(id);
  await bench.seconds(140); // the health check at 300 s
  expect((await bench.get(id)).status).toBe("interrupted");
  expect(await bench.balance()).toBe("99.9000");
  expect(bench.truth.machines[0]?.statement).toEqual({
    pricePerHour: "3.6000",
    firstHour: "3.6000",
    usedMs: 100_000,
    usage: "0.0000",
    refunded: "3.5000",
    charged: "0.1000",
  });
});

test("an interruption beyond the first hour gives back what ran up until it was noticed", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60 + 7210); // used: 7.21
  bench.control.interrupt(id);
  expect(await bench.balance()).toBe("92.7900");
  await bench.seconds(229);
  expect(await bench.balance()).toBe("92.5610");
  await bench.seconds(1); // the check at 7500 s
  expect(await bench.balance()).toBe("92.7900");
});

test("a user's stop of a running machine gives nothing back by default", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60 + 10);
  await bench.stop(id);
  await bench.seconds(60);
  expect(await bench.balance()).toBe("96.4000");
});

test("with refundOnStop a user's stop gives the unused time back", async () => {
  const bench = new SimulatorBench({ settings: { refundOnStop: true } });
  const id = await bench.launched();
  await bench.seconds(60 + 10);
  await bench.stop(id);
  await bench.seconds(60);
  expect(await bench.balance()).toBe("99.9900");
});

test("beyond the first hour each started second is taken as it passes", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60 + 3600);
  expect(await bench.balance()).toBe("96.4000");
  await bench.seconds(0.5);
  expect(await bench.balance()).toBe("96.3990");
  await bench.seconds(999.5);
  expect(await bench.balance()).toBe("95.4000");
  await bench.stop(id);
  await bench.seconds(1000);
  expect(await bench.balance()).toBe("95.4000");
});

test("billed by the hour, each further hour is taken when it begins", async () => {
  const bench = new SimulatorBench({ settings: { billing: "perHour" } });
  const id = await bench.launched();
  await bench.seconds(60 + 3599.999);
  expect(await bench.balance()).toBe("96.4000");
  await bench.seconds(0.001);
  expect(await bench.balance()).toBe("92.8000");
  bench.control.interrupt(id, { now: true });
  expect(await bench.balance()).toBe("96.4000");
});

test("where prices float, a machine costs what its offer costs, but for the hour that is paid", async () => {
  const bench = new SimulatorBench({ settings: { runningPrices: "float" } });
  const id = await bench.launched();
  bench.control.setPrice(HERE, "7.2000");
  expect((await bench.get(id)).price_per_hour).toBe("7.2000");
  expect((await bench.list()).map(({ price_per_hour }) => price_per_hour)).toEqual(["7.2000"]);
  await bench.seconds(60 + 3600);
  expect(await bench.balance()).toBe("96.4000");
  await bench.seconds(1000);
  expect(await bench.balance()).toBe("94.4000");
  bench.control.setPrice(HERE, "1.8000");
  await bench.seconds(1000);
  expect(await bench.balance()).toBe("93.8985");
  expect(bench.truth.machines[0]?.statement.charged).toBe("6.1015");
  bench.control.interrupt(id, { now: true });
  await bench.seconds(1000);
  expect(await bench.balance()).toBe("93.8985");
});

test("where prices float and hours are billed, a price counts from the next hour on, and what is refunded was paid at it", async () => {
  const bench = new SimulatorBench({ settings: { runningPrices: "float", billing: "perHour" } });
  const id = await bench.launched();
  bench.control.setPrice(HERE, "7.2000");
  await bench.seconds(60 + 3600);
  expect(await bench.balance()).toBe("89.2000");
  bench.control.setPrice(HERE, "1.8000");
  await bench.seconds(1800);
  expect(await bench.balance()).toBe("89.2000");
  bench.control.interrupt(id, { now: true });
  expect(await bench.balance()).toBe("92.8000");
});

test("a price change is for later launches only", async () => {
  const bench = new SimulatorBench();
  await bench.launched();
  bench.control.setPrice(HERE, "5.0001");
  await bench.launched();
  expect((await bench.list()).map(({ price_per_hour }) => price_per_hour)).toEqual(["3.6000", "5.0001"]);
  expect(await bench.balance()).toBe("91.3999");
});
