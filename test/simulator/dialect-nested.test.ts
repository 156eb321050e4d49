import { expect, test } from "vitest";
import type { HttpRequest, HttpResponse } from "../../service/contract/transport.ts";
import { ELSEWHERE, HERE, SimulatorBench } from "./bench.ts";

class Nested extends SimulatorBench {
  constructor() {
    super({ dialect: "nested", balance: "1000" });
  }

  override send(method: HttpRequest["method"], path: string, body?: unknown): Promise<HttpResponse> {
    return super.send(method, path, body, { Authorization: `Bearer ${this.simulator.apiKey}` });
  }

  order(offer: string, provider: string, region: string): Promise<HttpResponse> {
    const deployment = { title: `fleet ${offer}`, offer_id: offer, placement: { provider, region } };
    return this.send("POST", "/api/v1/deployments", { deployment });
  }

  async page(number: number, size = 20) {
    const path = `/api/v1/deployments?sort=-created&page=${number}&per_page=${size}`;
    return JSON.parse((await this.send("GET", path)).body).data;
  }
}

test("a launch is nested both ways; the price is a number, and absent is absent", async () => {
  const bench = new Nested();
  const response = await bench.order("box", "acme", "mars");
  expect(response.status).toBe(202);
  expect(JSON.parse(response.body)).toEqual({
    data: {
      deployment: {
        id: bench.truth.machines[0]?.id,
        status: "queued",
        offer: { id: "box", usd_per_hour: 3.6, gpu_count: 1 },
        placement: { provider: "acme", region: "mars" },
        timestamps: { created: "2030-01-01T00:00:00.000Z" },
      },
    },
  });
});

test("a title that does not fit its offer is no launch of this template", async () => {
  const bench = new Nested();
  const placement = { provider: "acme", region: "mars" };
  const deployment = { title: "fleet crate", offer_id: "box", placement };
  const response = await bench.send("POST", "/api/v1/deployments", { deployment });
  expect(response.status).toBe(422);
  expect(JSON.parse(response.body).error).toMatchObject({ code: "unprocessable" });
});

test("states have their own names, the stopped one is terminated", async () => {
  const bench = new Nested();
  const { id } = JSON.parse((await bench.order("box", "acme", "mars")).body).data.deployment;
  const path = `/api/v1/deployments/${id}`;
  const seen: unknown[] = [];
  const look = async (): Promise<void> => {
    seen.push(JSON.parse((await bench.send("GET", path)).body).data.status);
  };
  for (const seconds of [0, 10, 20, 30]) {
    await bench.seconds(seconds);
    await look();
  }
  expect((await bench.send("PUT", `${path}/state`, { desired: "terminated" })).status).toBe(202);
  await look();
  await bench.seconds(5);
  await look();
  expect(seen).toEqual(["queued", "booting", "connecting", "active", "stopping", "terminated"]);
});

test("a running deployment's access stands in an array", async () => {
  const bench = new Nested();
  const { id } = JSON.parse((await bench.order("box", "acme", "mars")).body).data.deployment;
  await bench.seconds(60);
  const { data } = JSON.parse((await bench.send("GET", `/api/v1/deployments/${id}`)).body);
  expect(data.access).toEqual({ ssh: [{ host: `${id.slice(0, 8)}.mars.example`, port: 22, user: "root" }] });
});

test("a stop with another body is refused, and a second stop is a conflict", async () => {
  const bench = new Nested();
  const { id } = JSON.parse((await bench.order("box", "acme", "mars")).body).data.deployment;
  const path = `/api/v1/deployments/${id}/state`;
  expect((await bench.send("PUT", path, { desired: "running" })).status).toBe(422);
  expect((await bench.send("PUT", path, { desired: "terminated" })).status).toBe(202);
  expect((await bench.send("PUT", path, { desired: "terminated" })).status).toBe(409);
});

test("pages begin at 1, newest first, each with the total", async () => {
  const bench = new Nested();
  for (let number = 0; number < 45; number += 1) {
    bench.control.launchByHand(HERE);
    await bench.seconds(1);
  }
  const pages = [await bench.page(1), await bench.page(2), await bench.page(3), await bench.page(4)];
  expect(pages.map(({ items, total }) => [items.length, total])).toEqual([
    [20, 45],
    [20, 45],
    [5, 45],
    [0, 45],
  ]);
  const ids = pages.flatMap(({ items }) => items.map(({ id }: { id: string }) => id));
  expect(ids).toEqual(bench.truth.machines.map(({ id }) => id).reverse());
  expect((await bench.page(2, 5)).items.map(({ id }: { id: string }) => id)).toEqual(ids.slice(5, 10));
});

test("the fixed query parameters of its profile are asked for", async () => {
  const response = await new Nested().send("GET", "/api/v1/deployments?page=1&per_page=20");
  expect(response.status).toBe(422);
  expect(JSON.parse(response.body).error.message).toContain("sort");
});

test("offers show a stock", async () => {
  const bench = new Nested();
  await bench.order("crate", "zeta", "mars");
  const { items } = JSON.parse((await bench.send("GET", "/api/v1/offers?page=1")).body).data;
  expect(items.map(({ stock }: { stock: number }) => stock)).toEqual([1000, 1000, 1]);
  expect(items[2]).toEqual({
    offer: { id: "crate", gpu_count: 4, gpu: "g4", usd_per_hour: 36 },
    placement: { provider: "zeta", region: "mars" },
    stock: 1,
  });
});

test("a cooldown has its header and says the same in the body; too many requests say it in the body only", async () => {
  const bench = new Nested();
  bench.control.cooldown(ELSEWHERE, 33);
  const cooling = await bench.order("crate", "zeta", "mars");
  expect([cooling.status, cooling.headers["retry-after"]]).toEqual([503, "33"]);
  expect(JSON.parse(cooling.body).error).toMatchObject({ code: "offer_cooling_down", retry_after: 33 });
  bench.control.faults.next("launch", { kind: "tooMany", seconds: 5 });
  const many = await bench.order("box", "acme", "mars");
  expect([many.status, many.headers["retry-after"]]).toEqual([429, undefined]);
  expect(JSON.parse(many.body).error.retry_after).toBe(5);
});

test("being out of credit is a conflict with a code", async () => {
  const bench = new Nested();
  bench.control.setBalance("0");
  const response = await bench.order("box", "acme", "mars");
  expect([response.status, JSON.parse(response.body).error.code]).toEqual([409, "credit_exhausted"]);
});

test("the specification's own objects are not nested", async () => {
  const bench = new Nested();
  expect(JSON.parse((await bench.send("GET", "/api/v1/account/balance")).body)).toEqual({
    balance: "1000.0000",
    currency: "USD",
  });
  expect(JSON.parse((await bench.send("GET", "/api/v1/account")).body).email).toBe("you@example.com");
});
