import { expect, test } from "vitest";
import { readable } from "../../service/contract/unread.ts";
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
  readable(await serviceWith(price).deployments(never()))[0]?.pricePerHour;

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
  const [offer] = readable(await serviceWith(written).offers(never()));
  expect(offer?.pricePerHour).toBe(read);
});

test("a price is never read lower than it is by more than a binary fraction's last digit", async () => {
  expect(await priceOf('"1.0000000000001"')).toBe("1.000000000001");
});

test.each(["0", '"0.0000"', "0.00004", "-0", "1e-20", "0.0000000000000001"])(
  "a price of %s is unknown, and the record is whole",
  async (written) => {
    const [offer] = readable(await serviceWith(written).offers(never()));
    expect(offer).toMatchObject({ offer: "a", gpus: 8 });
    expect(offer).not.toHaveProperty("pricePerHour");
    const [machine] = readable(await serviceWith(written).deployments(never()));
    expect(machine).toEqual({ id: "a", status: "running" });
  },
);

test.each(["-7.470000000000001", "-1e-20", "1e20", "1000000000000000.5", '"7.47 USD"'])(
  "a price of %s is none",
  async (written) => {
    const said = "pricePerHour (/price) should be a price such as 1.50";
    expect((await failureOf(() => serviceWith(written).offers(never()))).message).toContain(said);
    // What a machine costs is not known then; it is there all the same.
    const [machine] = readable(await serviceWith(written).deployments(never()));
    expect(machine).toMatchObject({ id: "a", status: "running", flaw: expect.stringContaining(said) });
    expect(machine?.pricePerHour).toBeUndefined();
  },
);

const FIELDS = { id: "/id", provider: "/id", location: "/id", gpus: "/gpus" };

async function pricesOf(fields: Record<string, unknown>, record: string) {
  const { id: _id, provider: _provider, location: _location, ...own } = { ...FIELDS, ...fields };
  const { service } = serviceOf(
    { deployments: { list: LIST, fields: own }, offers: { list: LIST, fields: { ...FIELDS, ...fields } } },
    [{ body: `[{"id": "a", "status": "running", ${record}}]` }],
  );
  const [offer] = readable(await service.offers(never()));
  const [deployment] = readable(await service.deployments(never()));
  return [offer?.pricePerHour, deployment?.pricePerHour];
}

test.each([
  ['"2.375"', "19"],
  ["0.1", "0.8"],
  [String(0.1 + 0.2), "2.4"],
  ["1e-3", "0.008"],
])("what one of 8 GPUs costs, %s, is %s for the machine, exactly", async (one, whole) => {
  expect(await pricesOf({ pricePerGpuHour: "/one" }, `"gpus": 8, "one": ${one}`)).toEqual([whole, whole]);
});

test.each([
  ["no GPUs", '"gpus": 0, "one": 2'],
  ["no price of one", '"gpus": 8'],
])("the price is not known with %s, and not 0", async (_what, record) => {
  expect(await pricesOf({ pricePerGpuHour: "/one" }, record)).toEqual([undefined, undefined]);
});

test("a machine whose GPUs are not shown has no price that is known", async () => {
  const fields = { gpus: "/gpus", pricePerGpuHour: "/one" };
  const parts = { deployments: { list: LIST, fields } };
  const { service } = serviceOf(parts, [{ body: '[{"id": "a", "status": "running", "one": 2}]' }]);
  expect(readable(await service.deployments(never()))[0]?.pricePerHour).toBeUndefined();
});

test("cents are USD in hundreds, of the machine or of one GPU", async () => {
  const cents = { pointer: "/cents", unit: "cents" };
  expect(await pricesOf({ pricePerHour: cents }, '"gpus": 8, "cents": 1999')).toEqual(["19.99", "19.99"]);
  expect(await pricesOf({ pricePerGpuHour: cents }, '"gpus": 8, "cents": "237.5"')).toEqual(["19", "19"]);
});

test("a price that is the same for all stands in the profile", async () => {
  const list = { list: LIST, fields: { ...FIELDS, pricePerGpuHour: { value: "2.49" } } };
  const { service } = serviceOf({ offers: list }, [{ body: '[{"id": "a", "gpus": 2}]' }]);
  expect(readable(await service.offers(never()))[0]?.pricePerHour).toBe("4.98");
});

test.each([
  [
    { pricePerHour: "/a", pricePerGpuHour: "/b" },
    "offers.fields.pricePerGpuHour: stands beside offers.fields.pricePerHour: keep one of the two",
  ],
  [{ pricePerHour: { pointer: "/a", unit: "pence" } }, "offers.fields.pricePerHour"],
  [{ pricePerHour: { value: "cheap" } }, 'offers.fields.pricePerHour.value: "cheap" is no price'],
])("a profile that says %j is refused", async (fields, text) => {
  const parts = { offers: { list: LIST, fields: { ...FIELDS, ...fields } } };
  expect((await failureOf(async () => serviceOf(parts, []))).message).toContain(text);
});

test("what one GPU costs needs the number of GPUs of a deployment", async () => {
  const parts = { deployments: { fields: { pricePerGpuHour: "/a" } } };
  expect((await failureOf(async () => serviceOf(parts, []))).message).toContain(
    "deployments.fields.pricePerGpuHour: says what one GPU costs, and nothing how many a machine has: add deployments.fields.gpus",
  );
});
