import { expect, test } from "vitest";
import type { WireProfile } from "../../service/profile/profile.ts";
import { dialectProfile } from "../../simulator/index.ts";
import { HERE, SimulatorBench } from "./bench.ts";

/** The dialect "elsewhere" with another answer to a GET of a deployment that does not exist. */
function said(missing: NonNullable<NonNullable<WireProfile["deployments"]>["get"]>["missing"]) {
  const profile = dialectProfile("elsewhere");
  const deployments = profile.deployments as NonNullable<WireProfile["deployments"]>;
  const get = { item: "/machine", ...(missing && { missing }) };
  const bench = new SimulatorBench({ dialect: { ...profile, deployments: { ...deployments, get } } });
  return (method: "GET" | "POST", path: string, body?: unknown) =>
    bench.send(method, path, body, { authorization: `Bearer ${bench.simulator.apiKey}` });
}

test.each([
  [{ statuses: [400], codes: ["nope"] }, 400, "nope"],
  [{ codes: ["nope"] }, 404, "nope"],
  [undefined, 404, "not_found"],
])("a deployment that does not exist is answered as its profile says: %j", async (missing, status, code) => {
  const answer = await said(missing)("GET", "/v3/machines/none");
  expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code]);
});

test("a deployment that does not exist may be answered with null, and a stop of it may not", async () => {
  const send = said({ empty: true });
  const answer = await send("GET", "/v3/machines/none");
  expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { machine: null }]);
  expect((await send("POST", "/v3/machines/end", { ids: ["none"] })).status).toBe(404);
});

test.each([undefined, 60])(
  "an accepted id may show nothing, and cost nothing, until its machine is there: %s",
  async (seconds) => {
    const bench = new SimulatorBench();
    bench.control.faults.next("launch", { kind: "vanish", ...(seconds === undefined ? {} : { seconds }) });
    const { status, body } = await bench.launch();
    const { id } = JSON.parse(body);
    expect(status).toBe(201);
    expect((await bench.send("GET", `/api/v1/deployments/${id}`)).status).toBe(404);
    const before = bench.truth.accounts[0]?.balance;
    expect(bench.truth.machines).toEqual([]);
    await bench.seconds(61);
    expect(bench.truth.machines.map((machine) => machine.id)).toEqual(seconds === undefined ? [] : [id]);
    expect(bench.truth.accounts[0]?.balance === before).toBe(seconds === undefined);
    expect(bench.truth.launches[0]?.outcome.kind).toBe(seconds === undefined ? "lost" : "committed");
  },
);

test("what is refused is promised nothing", async () => {
  const bench = new SimulatorBench();
  bench.control.cooldown(HERE, 60);
  bench.control.faults.next("launch", { kind: "vanish" });
  expect((await bench.launch()).status).toBe(503);
});
