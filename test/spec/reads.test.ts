import { expect, test } from "vitest";
import type { Service } from "../../service/contract/service.ts";
import { BASE_URL, json, never, serviceOf } from "../service/support.ts";

const PARTS = {
  deployments: { list: { items: "", pagination: { kind: "none" } }, get: { item: "" } },
  offers: {
    list: { items: "", pagination: { kind: "none" } },
    fields: { id: "/id", provider: "/p", location: "/l", gpus: "/n" },
  },
};

test.each<[string, (service: Service) => Promise<unknown>]>([
  ["/api/v1/account", (service) => service.account(never())],
  ["/api/v1/account/balance", (service) => service.balance(never())],
  ["/api/v1/deployments", (service) => service.deployments(never())],
  ["/api/v1/deployments/d1", (service) => service.deployment("d1", never())],
  ["/api/v1/offers", (service) => service.offers(never())],
])("GET %s is sent as it stands, without payload or query", async (path, read) => {
  const { service, requests } = serviceOf(PARTS, [json({})]);
  await read(service).catch(() => undefined);
  expect(requests).toEqual([
    {
      method: "GET",
      url: BASE_URL + path,
      headers: { accept: "application/json", "accept-encoding": "identity" },
    },
  ]);
});
