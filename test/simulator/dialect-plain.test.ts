import { expect, test } from "vitest";
import { HERE, SimulatorBench } from "./bench.ts";

const POST = "/api/v1/deployments";

test("a launch answers with the whole record, its marker in the label", async () => {
  const bench = new SimulatorBench();
  const response = await bench.send("POST", POST, { ...HERE, label: "mine" });
  expect(response.status).toBe(201);
  expect(JSON.parse(response.body)).toEqual({
    id: bench.truth.machines[0]?.id,
    status: "initializing",
    failure_code: null,
    stop_reason: null,
    ...HERE,
    label: "mine",
    created_at: "2030-01-01T00:00:00.000Z",
    price_per_hour: "3.6000",
    gpus: 1,
    failure_reason: null,
    suggested_action: null,
    ssh_host: null,
    ssh_port: null,
    ssh_user: null,
  });
});

test("a running deployment shows how to connect", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  await bench.seconds(60);
  expect(await bench.get(id)).toMatchObject({
    ssh_host: `${id.slice(0, 8)}.mars.example`,
    ssh_port: 22,
    ssh_user: "root",
  });
});

test("offers are one list, with availability as a boolean", async () => {
  const bench = new SimulatorBench();
  bench.control.setCapacity(HERE, 0);
  const { offers } = JSON.parse((await bench.send("GET", "/api/v1/offers")).body);
  expect(offers[0]).toEqual({
    id: "box",
    provider: "acme",
    location: "mars",
    gpus: 1,
    gpu_model: "g1",
    price_per_hour: "3.60",
    available: false,
  });
  expect(offers.map(({ available }: { available: boolean }) => available)).toEqual([false, true, true]);
});

test.each([
  [{ ...HERE }, "/label: missing"],
  [{ ...HERE, label: "l", more: 1 }, "/more: unexpected"],
  [["no"], "expected an object"],
])("a body that its template cannot have made is refused: %j", async (body, message) => {
  const bench = new SimulatorBench();
  const response = await bench.send("POST", POST, body);
  expect(response.status).toBe(400);
  expect(JSON.parse(response.body).message).toContain(message);
  expect(bench.truth).toMatchObject({ machines: [], launches: [{ outcome: { problem: "invalid" } }] });
});

test("an offer that does not exist is refused at once", async () => {
  const response = await new SimulatorBench().launch({ ...HERE, location: "venus" });
  expect([response.status, JSON.parse(response.body).error]).toEqual([400, "invalid_request"]);
});

test.each([
  ["PUT", "/api/v1/account", 405],
  ["DELETE", "/api/v1/deployments/x", 405],
  ["GET", "/api/v1/deployments/x/stop", 405],
  ["GET", "/api/v2/account", 404],
  ["GET", "/", 404],
] as const)("%s %s is %i", async (method, path, status) => {
  expect((await new SimulatorBench().send(method, path)).status).toBe(status);
});
