import { expect, test } from "vitest";
import { failureOf, never, serviceOf } from "./support.ts";

const LIST = { items: "", pagination: { kind: "none" } };
const serviceWith = (price: string) =>
  serviceOf(
    {
      deployments: { list: LIST, fields: { pricePerHour: "/price" } },
      offers: {
        list: LIST,
        fields: { id: "/id", provider: "/id", location: "/id", gpus: "/gpus", pricePerHour: "/price" },
      },
    },
    [{ body: `[{"id": "a", "status": "running", "gpus": 8, "price": ${price}}]` }],
  ).service;

const priceOf = async (price: string): Promise<string | undefined> =>
  (await serviceWith(price).deployments(never()))[0]?.pricePerHour;

test.each([
  ["2.4900", "2.4900"],
  ['"0.000691666667"', "0.000691666667"],
  // What a service writes that calculates with binary fractions.
  [String(2.49 * 3), "7.47"],
  [String(2.3 * 3), "6.9"],
  [String(0.1 + 0.2), "0.3"],
  [String(1.1 * 1.1 * 8), "9.68"],
  [String(1 / 3), "0.333333333334"],
  [String(1000 / 3), "333.333333333333"],
])("a price of %s is read as %s", async (written, read) => {
  expect(await priceOf(written)).toBe(read);
  const [offer] = await serviceWith(written).offers(never());
  expect(offer?.pricePerHour).toBe(read);
});

test("a price is never read lower than it is by more than a binary fraction's last digit", async () => {
  expect(await priceOf("0.0000000000000001")).toBe("0.000000000001");
  expect(await priceOf("1e-20")).toBe("0.000000000001");
  expect(await priceOf('"1.0000000000001"')).toBe("1.000000000001");
});

test.each(["-7.470000000000001", "-1e-20", "1e20", "1000000000000000.5", '"7.47 USD"'])(
  "a price of %s is none",
  async (written) => {
    const failure = await failureOf(() => serviceWith(written).deployments(never()));
    expect(failure.message).toContain("pricePerHour (/price) should be a price such as 1.50");
  },
);
