import { expect, test } from "vitest";
import { failureOf, json, never, profileOf, serviceOf } from "../service/support.ts";

const list = { items: "", pagination: { kind: "none" } };

test.each(["id", "provider", "location", "gpus"])(
  "an offer's %s has no name until the profile gives it one",
  async (field) => {
    const fields: Record<string, string> = { id: "/a", provider: "/b", location: "/c", gpus: "/d" };
    delete fields[field];
    const error = await failureOf(() => profileOf({ offers: { list, fields } }));
    expect(error.message).toContain(`offers.fields`);
    expect(error.message).toContain(field);
  },
);

test("of an offer nothing is read but what the profile maps", async () => {
  const fields = { id: "/a", provider: "/b", location: "/c", gpus: "/d" };
  const record = { a: "o", b: "p", c: "l", d: 8, price_per_hour: "1.00", gpu_model: "x", available: false };
  const { service } = serviceOf({ offers: { list, fields } }, [json([record])]);
  expect(await service.offers(never())).toEqual([{ offer: "o", provider: "p", location: "l", gpus: 8 }]);
});
