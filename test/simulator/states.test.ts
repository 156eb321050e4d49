import { expect, test } from "vitest";
import { HERE, SimulatorBench, THERE } from "./bench.ts";

test("a deployment goes through the specification's active states in their order", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  const seen: string[] = [];
  for (const seconds of [0, 9.999, 0.001, 19.999, 0.001, 29.999, 0.001]) {
    await bench.seconds(seconds);
    seen.push((await bench.get(id)).status);
  }
  expect(seen).toEqual([
    "initializing",
    "initializing",
    "provisioning",
    "provisioning",
    "connecting",
    "connecting",
    "running",
  ]);
});

test("time that passes unwatched leaves the same history as time that is watched", async () => {
  const [watched, unwatched] = [new SimulatorBench(), new SimulatorBench()];
  await watched.launched();
  await unwatched.launched();
  for (let second = 0; second < 100; second += 1) {
    await watched.seconds(1);
    await watched.list();
  }
  await unwatched.seconds(100);
  expect(unwatched.truth.machines).toEqual(watched.truth.machines);
});

test("a failed launch keeps its code, reason and suggested action, and is never filtered", async () => {
  const bench = new SimulatorBench();
  bench.control.failNext(HERE, { code: "DUPLICATE_REQUEST", reason: "Twice.", suggestedAction: "Ask." });
  const id = await bench.launched();
  await bench.seconds(86_400);
  const failed = { id, status: "failed", failure_code: "DUPLICATE_REQUEST", stop_reason: null };
  expect(await bench.get(id)).toMatchObject(failed);
  expect(await bench.list()).toMatchObject([
    { ...failed, failure_reason: "Twice.", suggested_action: "Ask." },
  ]);
});

test.each(["initializing", "provisioning", "connecting"] as const)(
  "a launch can fail during %s",
  async (during) => {
    const bench = new SimulatorBench();
    bench.control.failNext({}, { code: "NO_LUCK" }, { during });
    await bench.launched();
    await bench.seconds(100);
    const states = bench.truth.machines[0]?.states.map(({ state }) => state);
    expect(states?.slice(-2)).toEqual([during, "failed"]);
  },
);

test("a stop shows stopping, then the stopped state of the dialect with a stop reason", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60);
  expect((await bench.stop(id)).status).toBe(200);
  expect(await bench.get(id)).toMatchObject({ status: "stopping", stop_reason: null });
  await bench.seconds(4.999);
  expect((await bench.get(id)).status).toBe("stopping");
  await bench.seconds(0.001);
  expect(await bench.get(id)).toMatchObject({ status: "stopped", stop_reason: "user_requested" });
  expect(await bench.list()).toHaveLength(1);
});

test("a machine that is stopped on its way never runs", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(15);
  await bench.stop(id);
  await bench.seconds(3600);
  expect(bench.truth.machines[0]?.states.map(({ state }) => state)).toEqual([
    "initializing",
    "provisioning",
    "stopping",
    "stopped",
  ]);
});

test("stopping twice, or stopping what has ended, is refused; stopping what never was is not found", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.stop(id);
  const again = await bench.stop(id);
  expect([again.status, JSON.parse(again.body).error]).toEqual([409, "already_stopped"]);
  await bench.seconds(10);
  expect((await bench.stop(id)).status).toBe(409);
  expect((await bench.stop("nothing")).status).toBe(404);
});

test("nobody sees or stops another account's deployments", async () => {
  const bench = new SimulatorBench({
    accounts: [{ email: "other@example.com", apiKey: "other", balance: "100" }],
  });
  const id = bench.control.launchByHand(HERE, { account: "other@example.com" });
  expect(await bench.list()).toEqual([]);
  expect((await bench.send("GET", `/api/v1/deployments/${id}`)).status).toBe(404);
  expect((await bench.stop(id)).status).toBe(404);
  const asOther = await bench.send("GET", `/api/v1/deployments/${id}`, undefined, { "x-api-key": "other" });
  expect(asOther.status).toBe(200);
});

test("as many launches fail as were told to, where they were told to", async () => {
  const bench = new SimulatorBench();
  bench.control.failNext({ location: "mars" }, { code: "X" }, { times: 2 });
  for (const place of [THERE, HERE, HERE, HERE]) await bench.launched(place);
  await bench.seconds(60);
  expect((await bench.list()).map(({ status }) => status)).toEqual([
    "running",
    "failed",
    "failed",
    "running",
  ]);
});
