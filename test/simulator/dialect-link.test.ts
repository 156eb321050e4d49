import { expect, test } from "vitest";
import type { HttpRequest, HttpResponse } from "../../service/contract/transport.ts";
import { DEFAULT_OFFERS, SIMULATOR_URL } from "../../simulator/index.ts";
import { HERE, SimulatorBench } from "./bench.ts";

class Link extends SimulatorBench {
  constructor(options: ConstructorParameters<typeof SimulatorBench>[0] = {}) {
    super({ dialect: "link", ...options });
  }

  override send(method: HttpRequest["method"], path: string, body?: unknown): Promise<HttpResponse> {
    return super.send(method, path, body, { authorization: `Token ${this.simulator.apiKey}` });
  }

  order(body: object = {}): Promise<HttpResponse> {
    const plain = { kind: "gpu", spec: "box", target: "acme:mars", image: "cuda:13" };
    return this.send("POST", "/api/v1/deployments", { ...plain, ...body });
  }
}

test("a launch is answered by an id alone", async () => {
  const bench = new Link();
  const response = await bench.order();
  expect([response.status, JSON.parse(response.body)]).toEqual([
    200,
    { created: [bench.truth.machines[0]?.id] },
  ]);
  expect(bench.truth.machines[0]).toMatchObject({ combination: HERE, parameters: { image: "cuda:13" } });
});

test("a free parameter keeps its type, and may be absent", async () => {
  const bench = new Link();
  await bench.order({ image: { name: "cuda", tags: [1, null] } });
  await bench.order({ image: undefined });
  expect(bench.truth.machines.map(({ parameters }) => parameters)).toEqual([
    { image: { name: "cuda", tags: [1, null] } },
    {},
  ]);
});

test.each([{ kind: "cpu" }, { target: "acme" }, { spec: 7 }])("%j is not understood", async (body) => {
  const bench = new Link();
  expect((await bench.order(body)).status).toBe(400);
  expect(bench.truth.machines).toEqual([]);
});

test("a deployment shows nothing that tells two launches apart", async () => {
  const bench = new Link();
  await bench.order();
  expect(JSON.parse((await bench.send("GET", "/api/v1/deployments")).body)).toEqual([
    { id: bench.truth.machines[0]?.id, status: "initializing", since: "2030-01-01T00:00:00.000Z" },
  ]);
});

test("a list goes on through Link headers to its end", async () => {
  const bench = new Link();
  for (let number = 0; number < 12; number += 1) bench.control.launchByHand(HERE);
  const found: string[] = [];
  const sizes: number[] = [];
  let path: string | undefined = "/api/v1/deployments";
  while (path !== undefined) {
    const response = await bench.send("GET", path);
    const items: { id: string }[] = JSON.parse(response.body);
    found.push(...items.map(({ id }) => id));
    sizes.push(items.length);
    const next = /^<(.+)>; rel="next"$/.exec(response.headers.link ?? "")?.[1];
    if (next !== undefined) expect(next).toContain(`${SIMULATOR_URL}/api/v1/deployments?`);
    path = next?.slice(SIMULATOR_URL.length);
  }
  expect(sizes).toEqual([5, 5, 2]);
  expect(found).toEqual(bench.truth.machines.map(({ id }) => id).reverse());
});

test("offers go by offset and limit, with the count of all", async () => {
  const bench = new Link({ offers: DEFAULT_OFFERS });
  const read = async (query: string) => JSON.parse((await bench.send("GET", `/api/v1/offers${query}`)).body);
  const first = await read("?offset=0&limit=12");
  expect([first.rows.length, first.count]).toEqual([12, 32]);
  expect((await read("?offset=24&limit=12")).rows).toHaveLength(8);
  expect((await read("")).rows).toEqual(first.rows);
  expect(first.rows[0]).toEqual({
    spec: "h100-80gb-x1",
    vendor: "aurora",
    site: "fi-hel",
    n: 1,
    gpu: "h100-80gb",
    usd: "2.49",
  });
});

test("a stop is an action with a body; the stopped state is ended; then it is gone", async () => {
  const bench = new Link();
  const id = JSON.parse((await bench.order()).body).created[0];
  const act = (): Promise<HttpResponse> =>
    bench.send("POST", `/api/v1/deployments/${id}/actions`, { action: "stop", options: { force: false } });
  const first = await act();
  expect([first.status, first.body]).toEqual([204, ""]);
  await bench.seconds(5);
  expect(JSON.parse((await bench.send("GET", `/api/v1/deployments/${id}`)).body)).toMatchObject({
    status: "ended",
    stop_reason: "user_requested",
  });
  expect((await act()).status).toBe(410);
});

test("errors stand in an array", async () => {
  const bench = new Link({ balance: "1" });
  const response = await bench.order();
  expect(response.status).toBe(400);
  expect(JSON.parse(response.body).errors).toMatchObject([{ code: "NOT_ENOUGH_CREDITS" }]);
});
