import { expect, test } from "vitest";
import { readable, unreadText } from "../../service/contract/unread.ts";
import { failureOf, json, never, profileOf, serviceOf } from "./support.ts";

/** What a profile 2 says of money: the currency of all amounts, and how time is billed. */
function two(parts: Record<string, unknown>, replies: Parameters<typeof serviceOf>[1]) {
  return serviceOf({ profile: 2, ...parts }, replies).service;
}

const EUROS = { currency: "EUR", balance: { amount: "/a", currency: "/c" } };
const LIST = { items: "/list", pagination: { kind: "none" } };
const OFFERS = {
  list: LIST,
  fields: {
    id: "/id",
    provider: "/by",
    location: "/at",
    gpus: "/n",
    pricePerHour: "/price",
    currency: "/in",
  },
};
const OFFER = { id: "a", by: "p", at: "l", n: 1, price: 2 };
const CALL = { calls: { offers: { path: "/offers" } } };

test("a balance is in the profile's currency, whatever its letters", async () => {
  const service = two(EUROS, [json({ a: 1, c: "eur" })]);
  expect(await service.balance(never())).toEqual({ balance: "1.0000", currency: "EUR" });
  expect(service.abilities.currency).toBe("EUR");
  const dollars = two(EUROS, [json({ a: 1, c: "USD" })]);
  expect((await failureOf(() => dollars.balance(never()))).message).toContain(
    'the currency at /c is "USD", and only EUR is counted under this profile (currency)',
  );
});

test("a balance that no sum could hold is unreadable, and not read as nothing", async () => {
  for (const amount of ["1e99", "9".repeat(16)]) {
    const { message } = await failureOf(() => two(EUROS, [json({ a: amount, c: "EUR" })]).balance(never()));
    expect(message).toContain("the amount at /a is too large for a balance (balance.amount)");
  }
  const own = serviceOf({}, [json({ balance: `${"9".repeat(16)}.0000`, currency: "USD" })]).service;
  expect(await failureOf(() => own.balance(never()))).toMatchObject({ code: "UNREADABLE_ANSWER" });
});

test("nothing is launched before the balance has named the currency that is counted", async () => {
  const launch = { body: { type: "{offer}" }, id: "/id" };
  const wish = { offer: "a", provider: "p", location: "l", marker: "fk-1", parameters: {} };
  const { service, requests } = serviceOf({ profile: 2, ...EUROS, launch }, [
    json({ a: 1, c: "USD" }),
    json({}, { status: 400 }),
    json({ a: 1, c: "EUR" }),
    json({ id: "m-1" }),
    json({ id: "m-2" }),
  ]);
  const said = [];
  for (let count = 0; count < 4; count += 1) said.push(await service.launch(wish, never()));
  expect(said).toMatchObject([
    {
      kind: "notSent",
      permanent: true,
      reason: expect.stringContaining('is "USD", and only EUR is counted'),
    },
    { kind: "notSent" },
    { kind: "accepted", id: "m-1" },
    { kind: "accepted", id: "m-2" },
  ]);
  expect(requests.map(({ method }) => method)).toEqual(["GET", "GET", "GET", "POST", "POST"]);
});

test("an offer in another currency is left out and named, and so is one that says none", async () => {
  const listed = await two({ ...EUROS, ...CALL, offers: OFFERS }, [
    json({
      list: [
        { ...OFFER, in: "EUR" },
        { ...OFFER, id: "b", in: "USD" },
        { ...OFFER, id: "c" },
      ],
    }),
  ]).offers(never());
  expect(readable(listed).map(({ offer, pricePerHour }) => [offer, pricePerHour])).toEqual([["a", "2"]]);
  expect(unreadText(listed, "offers")).toContain(
    'currency (/in) should be EUR, the currency that this profile counts, but is "USD"',
  );
});

test("an offer of which hours are paid at once is left out and named, however cheap its hour is", async () => {
  const { currency: _none, ...fields } = OFFERS.fields;
  const offers = { list: LIST, fields: { ...fields, prepaidHours: "/prepaid" } };
  const listed = await two({ ...CALL, offers }, [
    json({
      list: [
        OFFER,
        { ...OFFER, id: "b", prepaid: 720 },
        { ...OFFER, id: "c", prepaid: null },
        { ...OFFER, id: "d", prepaid: 0 },
      ],
    }),
  ]).offers(never());
  expect(readable(listed).map(({ offer }) => offer)).toEqual(["a", "c", "d"]);
  expect(unreadText(listed, "offers")).toContain("prepaidHours (/prepaid) should be nothing or 0");
});

test("without a currency of the profile, dollars alone are read: the first euro names itself", async () => {
  const service = two({ ...CALL, offers: OFFERS }, [json({ list: [{ ...OFFER, in: "EUR" }] })]);
  expect((await failureOf(() => service.offers(never()))).message).toContain(
    'should be USD, the currency that this profile counts, but is "EUR"',
  );
});

test("a machine whose price is in another currency counts, without that price, and says why", async () => {
  const fields = { pricePerGpuHour: "/price", gpus: "/n", currency: "/in" };
  const machine = { id: "m", status: "running", n: 2 };
  const [other, ours, none] = readable(
    await two({ ...EUROS, deployments: { list: LIST, fields } }, [
      json({
        list: [
          { ...machine, price: 2, in: "USD" },
          { ...machine, id: "o", price: 2, in: "EUR" },
          { ...machine, id: "n" },
        ],
      }),
    ]).deployments(never()),
  );
  expect(other).toMatchObject({ id: "m", status: "running", flaw: expect.stringContaining('but is "USD"') });
  expect(other?.pricePerHour).toBeUndefined();
  expect(ours).toMatchObject({ pricePerHour: "4" });
  expect(none).not.toHaveProperty("flaw");
});

test("how time is billed, in ms; without a least it is what has begun", () => {
  const billing = (of: object) => two({ billing: of }, []).abilities.billing;
  expect(billing({ by: "minute", minimum: "10m", reserved: "1h30m" })).toEqual({
    unit: 60_000,
    minimum: 600_000,
    reserved: 5_400_000,
  });
  expect(billing({ by: "second" })).toEqual({ unit: 1000, minimum: 1000, reserved: 0 });
  expect(two({}, []).abilities).not.toHaveProperty("billing");
  expect(two({ currency: "USD" }, []).abilities).not.toHaveProperty("currency");
});

test.each<[what: string, parts: Record<string, unknown>, says: RegExp]>([
  ["no three letters", { profile: 2, currency: "euro" }, /currency: expected the three letters of ISO 4217/],
  [
    "none of ISO 4217",
    { profile: 2, ...EUROS, currency: "EUE" },
    /"EUE" is no currency of ISO 4217: write one such as EUR/,
  ],
  [
    "the specification's balance",
    { profile: 2, currency: "EUR" },
    /the specification's balance is in USD: say where/,
  ],
  [
    "a word for a unit",
    { profile: 2, billing: { by: "day" } },
    /billing\.by: expected "hour" or "minute" or "second"/,
  ],
  [
    "a number for a time",
    { profile: 2, billing: { by: "hour", minimum: 10 } },
    /billing\.minimum: expected a duration/,
  ],
  ["profile 1: currency", { currency: "EUR" }, /currency: is of a profile 2/],
  ["profile 1: billing", { billing: { by: "hour" } }, /billing: is of a profile 2/],
  ["profile 1: of an offer", { offers: OFFERS }, /offers\.fields\.currency: is of a profile 2/],
  [
    "profile 1: of a machine",
    { deployments: { fields: { currency: "/c" } } },
    /deployments\.fields\.currency: is of a/,
  ],
])("a profile is refused: %s", async (_what, parts, says) => {
  expect((await failureOf(async () => profileOf(parts))).message).toMatch(says);
});
