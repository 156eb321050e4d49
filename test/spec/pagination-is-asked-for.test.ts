import { expect, test } from "vitest";
import { failureOf, json, never, profileOf, serviceOf } from "../service/support.ts";

test("how a list goes on is never assumed: a list part without pagination is an error that names it", async () => {
  const error = await failureOf(() => profileOf({ deployments: { list: { items: "/items" } } }));
  expect(error.code).toBe("CONFIG");
  expect(error.message).toContain("deployments.list");
  expect(error.message).toContain("pagination");
});

test("a list of which the profile says that it is whole is not asked for a second page", async () => {
  const list = { items: "", pagination: { kind: "none" } };
  const { service, requests } = serviceOf({ deployments: { list } }, [
    json(Array.from({ length: 1000 }, (_, index) => ({ id: `d${index}`, status: "running" }))),
  ]);
  expect(await service.deployments(never())).toHaveLength(1000);
  expect(requests.map(({ url }) => url)).toEqual(["https://gpu.example.com/api/v1/deployments"]);
});
