import { expect, test } from "vitest";
import { SIMULATOR_URL } from "../../simulator/index.ts";
import { HERE, SimulatorBench } from "./bench.ts";

const noAnswer = expect.objectContaining({ name: "TransportError", code: "NO_ANSWER" });
const notSent = expect.objectContaining({ name: "TransportError", code: "NOT_SENT" });

test("refuse: nothing was sent and nothing happened", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "refuse" });
  await expect(bench.launch()).rejects.toEqual(notSent);
  expect(bench.truth).toMatchObject({
    machines: [],
    launches: [{ outcome: { kind: "lost" }, answer: { kind: "refuse" }, fault: { kind: "refuse" } }],
  });
});

test("dropBefore: no answer, and nothing happened", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "dropBefore" });
  await expect(bench.launch()).rejects.toEqual(noAnswer);
  expect(bench.truth.machines).toEqual([]);
  expect(await bench.balance()).toBe("100.0000");
});

test("dropAfter: no answer, and a machine that costs", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "dropAfter" });
  await expect(bench.launch()).rejects.toEqual(noAnswer);
  const [machine] = await bench.list();
  expect(machine).toMatchObject({ status: "initializing", label: "label-1" });
  expect(bench.truth.launches).toMatchObject([
    { number: 1, outcome: { kind: "committed", id: machine?.id }, answer: { kind: "drop" } },
  ]);
  expect(bench.truth.machines[0]?.origin).toEqual({ by: "request", number: 1 });
  expect(await bench.balance()).toBe("96.4000");
});

test("commitLate: no answer, and the machine appears later, though nobody asks in between", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "commitLate", seconds: 45 });
  await expect(bench.launch()).rejects.toEqual(noAnswer);
  expect(bench.truth.launches[0]?.outcome).toEqual({ kind: "pending", due: bench.clock.now() + 45_000 });
  await bench.seconds(44.999);
  expect(await bench.list()).toEqual([]);
  expect(await bench.balance()).toBe("100.0000");
  await bench.seconds(100);
  const [machine] = bench.truth.machines;
  expect(machine?.committedAt).toBe(Number(bench.truth.launches[0]?.at) + 45_000);
  expect(bench.truth.launches[0]?.outcome).toMatchObject({ kind: "committed", id: machine?.id });
});

test("commitLate: what is refused when its time comes never appears", async () => {
  const bench = new SimulatorBench({ balance: "4.0000" });
  bench.control.faults.next("launch", { kind: "commitLate", seconds: 45 });
  await expect(bench.launch()).rejects.toEqual(noAnswer);
  await bench.launched();
  await bench.seconds(45);
  expect(bench.truth.launches[0]?.outcome).toEqual({ kind: "refused", problem: "insufficientBalance" });
  expect(bench.truth.machines).toHaveLength(1);
});

test("commitTwice: an answer, and the same launch makes another machine later, if there is money for it", async () => {
  const bench = new SimulatorBench({ balance: "8.0000" });
  bench.control.faults.next("launch", { kind: "commitTwice", seconds: 45 }, { times: 2 });
  await bench.launched();
  await bench.seconds(45);
  const [first, second] = bench.truth.machines;
  expect(second).toMatchObject({ marker: first?.marker, origin: { by: "request", number: 1 } });
  expect(second?.committedAt).toBe(Number(first?.committedAt) + 45_000);
  expect(bench.truth.launches[0]?.outcome).toMatchObject({ kind: "committed", id: first?.id });
  await bench.launch();
  await bench.seconds(45);
  expect(bench.truth.machines).toHaveLength(2);
});

test.each([500, 502, 503, 504, 409])("errorBefore %i: an error, and nothing happened", async (status) => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "errorBefore", status });
  expect((await bench.launch()).status).toBe(status);
  expect(bench.truth.machines).toEqual([]);
});

test.each([500, 502, 503, 504, 408])("errorAfter %i: an error, and a machine", async (status) => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "errorAfter", status });
  const response = await bench.launch();
  expect(response.status).toBe(status);
  expect(response.body).not.toContain("offer_cooling_down");
  expect(bench.truth.machines).toHaveLength(1);
});

test("errors of a gateway are pages and not in the service's words", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("balance", { kind: "errorBefore", status: 502 });
  const response = await bench.send("GET", "/api/v1/account/balance");
  expect(response.headers["content-type"]).toBe("text/html");
  expect(() => JSON.parse(response.body)).toThrow();
});

test("tooMany: 429 with the seconds to wait, and nothing happened", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "tooMany", seconds: 7 });
  const response = await bench.launch();
  expect([response.status, response.headers["retry-after"]]).toEqual([429, "7"]);
  expect(bench.truth.machines).toEqual([]);
});

test("slow: takes effect at once and is answered later", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "slow", seconds: 30 });
  const answer = bench.launch();
  await bench.clock.settle();
  expect(bench.truth.machines).toHaveLength(1);
  const sentAt = bench.clock.now();
  expect((await bench.clock.run(answer)).status).toBe(201);
  expect(bench.clock.now() - sentAt).toBe(30_000);
});

test("a client that gives up on a slow answer has none, and the machine is there", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "slow", seconds: 30 });
  const controller = new AbortController();
  const answer = bench.simulator.transport(
    {
      method: "POST",
      url: `${SIMULATOR_URL}/api/v1/deployments`,
      headers: { "X-Api-Key": bench.simulator.apiKey },
      body: JSON.stringify({ ...HERE, label: "" }),
    },
    controller.signal,
  );
  const outcome = expect(answer).rejects.toEqual(noAnswer);
  await bench.seconds(29);
  controller.abort(new Error("too slow"));
  await outcome;
  expect(bench.truth.machines).toHaveLength(1);
});

test.each(["cut", "empty", "html", "otherJson"] as const)(
  "unreadable (%s): 2xx and a machine",
  async (how) => {
    const bench = new SimulatorBench();
    bench.control.faults.next("launch", { kind: "unreadable", how });
    const response = await bench.launch();
    expect(response.status).toBe(201);
    const [machine] = bench.truth.machines;
    expect(response.body).not.toContain(`"id":"${machine?.id}","status":"initializing"}`);
    if (how === "otherJson") expect(JSON.parse(response.body)).not.toHaveProperty("id");
    else expect(() => JSON.parse(response.body)).toThrow();
  },
);

test("stop: dropped before it takes effect, and after", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  bench.control.faults.next("stop", { kind: "dropBefore" });
  bench.control.faults.next("stop", { kind: "dropAfter" });
  await expect(bench.stop(id)).rejects.toEqual(noAnswer);
  expect((await bench.get(id)).status).toBe("initializing");
  await expect(bench.stop(id)).rejects.toEqual(noAnswer);
  expect((await bench.get(id)).status).toBe("stopping");
});

test("stop: failing with 5xx before it takes effect, and after", async () => {
  const bench = new SimulatorBench();
  const id = await bench.launched();
  bench.control.faults.next("stop", { kind: "errorBefore", status: 500 });
  bench.control.faults.next("stop", { kind: "errorAfter", status: 500 });
  expect((await bench.stop(id)).status).toBe(500);
  expect((await bench.get(id)).status).toBe("initializing");
  expect((await bench.stop(id)).status).toBe(500);
  expect((await bench.get(id)).status).toBe("stopping");
});

test("faults are for one kind of request, in order, after as many good ones as is said", async () => {
  const bench = new SimulatorBench();
  bench.control.faults.next("launch", { kind: "errorBefore", status: 500 }, { skip: 2, times: 2 });
  bench.control.faults.next("launch", { kind: "errorBefore", status: 502 });
  await bench.list();
  const statuses: number[] = [];
  for (let number = 0; number < 6; number += 1) statuses.push((await bench.launch()).status);
  expect(statuses).toEqual([201, 201, 500, 500, 502, 201]);
  expect(bench.truth.faults).toHaveLength(3);
});

test("faults by chance come about as often as is said, are repeated by the same seed, and can be cleared", async () => {
  async function failures(seed: number): Promise<string> {
    const bench = new SimulatorBench({ seed, balance: "100000" });
    bench.control.faults.chance("balance", [
      { fault: { kind: "errorBefore", status: 500 }, probability: 0.2 },
      { fault: { kind: "errorBefore", status: 503 }, probability: 0.1 },
    ]);
    let statuses = "";
    for (let number = 0; number < 500; number += 1) {
      statuses += ` ${(await bench.send("GET", "/api/v1/account/balance")).status}`;
    }
    bench.control.faults.clear();
    expect((await bench.send("GET", "/api/v1/account/balance")).status).toBe(200);
    return statuses;
  }
  const first = await failures(1);
  const count = (status: string): number => first.split(status).length - 1;
  expect(count("500")).toBeGreaterThan(70);
  expect(count("500")).toBeLessThan(130);
  expect(count("503")).toBeGreaterThan(25);
  expect(count("503")).toBeLessThan(75);
  expect(await failures(1)).toBe(first);
  expect(await failures(2)).not.toBe(first);
});

test("a fault that makes no sense for a request is an error at once", () => {
  const { faults } = new SimulatorBench().control;
  expect(() => faults.next("stop", { kind: "commitLate", seconds: 1 })).toThrow("commitLate is for launch");
  expect(() => faults.next("balance", { kind: "lag", seconds: 1 })).toThrow("lag is for deployments");
  expect(() => faults.chance("launch", [{ fault: { kind: "refuse" }, probability: 1.1 }])).toThrow(
    "add up to 1",
  );
});
