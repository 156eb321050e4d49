import { expect, test } from "vitest";
import { HERE, SimulatorBench } from "./bench.ts";

test("the account and the balance are as specified", async () => {
  const bench = new SimulatorBench({ balance: "7" });
  const account = JSON.parse((await bench.send("GET", "/api/v1/account")).body);
  expect(Object.keys(account).sort()).toEqual(["created_at", "display_name", "email", "id"]);
  expect(account.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(account.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
  const balance = JSON.parse((await bench.send("GET", "/api/v1/account/balance")).body);
  expect(balance).toEqual({ balance: "7.0000", currency: "USD" });
});

test("a launch beyond the balance is an immediate error, and the last cent can be spent", async () => {
  const bench = new SimulatorBench({ balance: "3.5999" });
  const refused = await bench.launch();
  expect([refused.status, JSON.parse(refused.body).error]).toEqual([402, "insufficient_balance"]);
  bench.control.addCredits("0.0001");
  expect((await bench.launch()).status).toBe(201);
  expect(await bench.balance()).toBe("0.0000");
});

test("a balance can be set", async () => {
  const bench = new SimulatorBench();
  await bench.launched();
  bench.control.setBalance("12.3456");
  expect(await bench.balance()).toBe("12.3456");
});

test("machines that burn an empty balance are stopped, at the second when it is empty", async () => {
  const bench = new SimulatorBench({ balance: "8.2000" }); // two first hours, and 1.00 for two machines: 500 s each
  await bench.launched();
  await bench.launched();
  await bench.seconds(60 + 3600 + 499);
  expect((await bench.list()).map(({ status }) => status)).toEqual(["running", "running"]);
  await bench.seconds(1);
  expect((await bench.list()).map(({ status }) => status)).toEqual(["stopping", "stopping"]);
  await bench.seconds(5);
  expect(await bench.list()).toMatchObject([{ stop_reason: "balance_exhausted" }, { status: "stopped" }]);
  expect(await bench.balance()).toBe("0.0000");
});

test("a machine within its paid first hour runs on with an empty balance, and no longer", async () => {
  const bench = new SimulatorBench({ balance: "3.6000" });
  const id = await bench.launched();
  await bench.seconds(60 + 3599);
  expect((await bench.get(id)).status).toBe("running");
  await bench.seconds(1);
  expect((await bench.get(id)).status).toBe("stopping");
});

test("credits that come in time keep machines running", async () => {
  const bench = new SimulatorBench({ balance: "3.7000" });
  const id = await bench.launched();
  await bench.seconds(60 + 3600 + 99);
  bench.control.addCredits("1.0000");
  await bench.seconds(1000);
  expect((await bench.get(id)).status).toBe("running");
  await bench.seconds(1);
  expect((await bench.get(id)).status).toBe("stopping");
});

test("billed by the hour, a machine whose next hour cannot be paid is stopped", async () => {
  const bench = new SimulatorBench({ balance: "7.1999", settings: { billing: "perHour" } });
  const id = await bench.launched();
  await bench.seconds(60 + 3600);
  expect((await bench.get(id)).status).toBe("stopping");
  expect(await bench.balance()).toBe("3.5999");
});

test("a service that lets its users owe shows a negative balance with 4 decimals", async () => {
  const bench = new SimulatorBench({ balance: "3.6000", settings: { emptyBalance: "owe" } });
  const id = await bench.launched();
  await bench.seconds(60 + 3600 + 250);
  expect((await bench.get(id)).status).toBe("running");
  expect(await bench.balance()).toBe("-0.2500");
});

test("a missing or wrong key is 401, whatever is asked", async () => {
  const bench = new SimulatorBench();
  for (const headers of [{}, { "x-api-key": "wrong" }, { authorization: bench.simulator.apiKey }] as const) {
    expect((await bench.send("GET", "/api/v1/account", undefined, headers)).status).toBe(401);
    expect((await bench.send("POST", "/api/v1/deployments", { ...HERE, label: "" }, headers)).status).toBe(
      401,
    );
    expect((await bench.send("POST", "/api/v1/deployments", { what: 1 }, headers)).status).toBe(401);
  }
  expect(bench.truth.machines).toEqual([]);
  expect(bench.truth.launches).toMatchObject(Array(6).fill({ outcome: { problem: "unauthorized" } }));
});
