import { expect, test } from "vitest";
import type { HttpRequest, HttpResponse } from "../../service/contract/transport.ts";
import { DEFAULT_OFFERS } from "../../simulator/index.ts";
import { HERE, SimulatorBench } from "./bench.ts";

class Handwritten extends SimulatorBench {
  constructor(options: ConstructorParameters<typeof SimulatorBench>[0] = {}) {
    super({ dialect: "handwritten", ...options });
  }

  override send(method: HttpRequest["method"], path: string, body?: unknown): Promise<HttpResponse> {
    return super.send(method, path, body, { "X-Gpu-Pass": `pass=${this.simulator.apiKey};v=1` });
  }

  order(changes: object = {}): Promise<HttpResponse> {
    const order = { what: "box", from: "acme", where: "mars", tags: ["fleetkeeper", "m-1"], ...changes };
    return this.send("POST", "/api/v1/deployments", { order });
  }
}

test("a launch is answered by a ticket alone, and the marker comes back among the tags", async () => {
  const bench = new Handwritten();
  const response = await bench.order();
  const id = bench.truth.machines[0]?.id;
  expect([response.status, JSON.parse(response.body)]).toEqual([202, { ticket: { deployment: id } }]);
  const { result } = JSON.parse((await bench.send("GET", `/api/v1/deployments/${id}`)).body);
  expect(result).toEqual({
    id,
    status: "initializing",
    order: { what: "box", from: "acme", where: "mars", tags: ["fleetkeeper", "m-1"] },
    ordered_at: "2030-01-01T00:00:00.000Z",
    rate: { amount: "3.6000", per: "hour" },
    hardware: { gpus: 1, model: "g1" },
  });
});

test.each([{ what: 1 }, { tags: ["one"] }, { where: undefined }])("%j is not understood", async (changes) => {
  const bench = new Handwritten();
  const response = await bench.order(changes);
  expect([response.status, JSON.parse(response.body).problem.kind]).toEqual([400, "not_understood"]);
  expect(bench.truth.machines).toEqual([]);
});

test("a list goes on by cursors, and what is launched in between neither hides nor doubles an item", async () => {
  const bench = new Handwritten();
  for (let number = 0; number < 16; number += 1) bench.control.launchByHand(HERE);
  const found: string[] = [];
  let after: string | undefined;
  do {
    const query: string = after === undefined ? "?limit=7" : `?limit=7&after=${after}`;
    const { results, paging } = JSON.parse((await bench.send("GET", `/api/v1/deployments${query}`)).body);
    found.push(...results.map(({ id }: { id: string }) => id));
    if (found.length === 7) bench.control.launchByHand(HERE);
    after = paging.next;
  } while (after !== undefined);
  expect(found).toEqual(bench.truth.machines.map(({ id }) => id));
  expect(found).toHaveLength(17);
});

test("offers want their view, and page as well", async () => {
  const bench = new Handwritten({ offers: DEFAULT_OFFERS });
  expect((await bench.send("GET", "/api/v1/offers")).status).toBe(400);
  const first = JSON.parse((await bench.send("GET", "/api/v1/offers?view=full")).body);
  expect(first.results).toHaveLength(11);
  const path = `/api/v1/offers?view=full&after=${first.paging.next}`;
  const second = JSON.parse((await bench.send("GET", path)).body);
  expect(second.results[0]).toMatchObject({ what: "h100-80gb-x8", from: "basalt", in_stock: true });
});

test("DELETE stops; the stopped state is released; then it is gone", async () => {
  const bench = new Handwritten();
  const path = `/api/v1/deployments/${JSON.parse((await bench.order()).body).ticket.deployment}`;
  expect(await bench.send("DELETE", path)).toMatchObject({ status: 204, body: "" });
  expect((await bench.send("DELETE", path)).status).toBe(410);
  await bench.seconds(5);
  expect(JSON.parse((await bench.send("GET", path)).body).result).toMatchObject({
    status: "released",
    stop_reason: "user_requested",
  });
});

test("a failure explains itself in three fields", async () => {
  const bench = new Handwritten();
  bench.control.failNext({}, { code: "X", reason: "r", suggestedAction: "s" }, { during: "initializing" });
  await bench.order();
  await bench.seconds(10);
  const { results } = JSON.parse((await bench.send("GET", "/api/v1/deployments")).body);
  expect(results).toMatchObject([
    { status: "failed", failure_code: "X", trouble: { text: "r", advice: "s" } },
  ]);
});

test("a wait is an HTTP date, never too early", async () => {
  const bench = new Handwritten();
  await bench.seconds(0.4);
  bench.control.cooldown(HERE, 60);
  const response = await bench.order();
  expect([response.status, JSON.parse(response.body).problem.kind]).toEqual([503, "offer_cooling_down"]);
  expect(response.headers["retry-after"]).toBe("Tue, 01 Jan 2030 00:01:01 GMT");
});

test("being out of credit is 402; a wrong pass is 401", async () => {
  const bench = new Handwritten({ balance: "1" });
  expect((await bench.order()).status).toBe(402);
  const url = "https://simulator.invalid/api/v1/account";
  const headers = { "x-gpu-pass": bench.simulator.apiKey };
  const bare = await bench.simulator.transport({ method: "GET", url, headers }, new AbortController().signal);
  expect(bare.status).toBe(401);
});
