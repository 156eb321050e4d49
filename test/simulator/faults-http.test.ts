import { afterEach, expect, test } from "vitest";
import { HERE, SimulatorBench } from "./bench.ts";

const opened: SimulatorBench[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((bench) => bench.simulator.close()));
});

async function served(): Promise<{
  bench: SimulatorBench;
  url: string;
  post: () => Promise<Response>;
  refuse: (on: boolean) => Promise<void>;
}> {
  const bench = new SimulatorBench();
  opened.push(bench);
  const { url, refuseConnections } = await bench.simulator.listen();
  const headers = { "x-api-key": bench.simulator.apiKey, "content-type": "application/json" };
  const body = JSON.stringify({ ...HERE, label: "over http" });
  return {
    bench,
    url,
    post: () => fetch(`${url}/api/v1/deployments`, { method: "POST", headers, body }),
    refuse: refuseConnections,
  };
}

test("a launch over HTTP is the same launch", async () => {
  const { bench, post } = await served();
  const response = await post();
  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toMatchObject({ id: bench.truth.machines[0]?.id, label: "over http" });
});

test("a cooldown over HTTP carries its header", async () => {
  const { bench, post } = await served();
  bench.control.cooldown(HERE, 42);
  const response = await post();
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "42"]);
});

test.each([
  ["dropBefore", 0],
  ["dropAfter", 1],
] as const)("%s breaks the connection", async (kind, machines) => {
  const { bench, post } = await served();
  bench.control.faults.next("launch", { kind });
  await expect(post()).rejects.toThrow("fetch failed");
  expect(bench.truth.machines).toHaveLength(machines);
  expect((await post()).status).toBe(201);
});

test("a slow answer waits for the service's clock", async () => {
  const { bench, post } = await served();
  bench.control.faults.next("launch", { kind: "slow", seconds: 5 });
  let answered = false;
  const response = post().then((value) => {
    answered = true;
    return value;
  });
  while (bench.clock.sleeping === 0) await bench.clock.settle();
  expect([answered, bench.truth.machines.length]).toEqual([false, 1]);
  await bench.seconds(5);
  expect((await response).status).toBe(201);
});

test("connections can truly be refused, and accepted again at the same port", async () => {
  const { bench, url, post, refuse } = await served();
  await refuse(true);
  const refused = await post().catch((error: Error) => error.cause);
  expect(refused).toMatchObject({ code: "ECONNREFUSED" });
  expect(bench.truth.launches).toEqual([]);
  await refuse(false);
  expect((await post()).status).toBe(201);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("a closed server answers nobody, and can be closed again", async () => {
  const { bench, post } = await served();
  await bench.simulator.close();
  await bench.simulator.close();
  await expect(post()).rejects.toThrow("fetch failed");
});
