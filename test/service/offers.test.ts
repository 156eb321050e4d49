import { expect, test } from "vitest";
import { readable, unreadText } from "../../service/unread.ts";
import { failureOf, never, serviceOf } from "./support.ts";

const FIELDS = { id: "/id", provider: "/by", location: "/at", gpus: "/n" };

function offers(body: string, more: object = {}) {
  const list = { items: "/o", pagination: { kind: "none" } };
  return serviceOf({ offers: { list, fields: { ...FIELDS, ...more } } }, [{ body }]).service.offers(never());
}

test("an offer with what must be mapped", async () => {
  expect(await offers('{"o": [{"id": 1, "by": "p", "at": "l", "n": 8}]}')).toEqual([
    { offer: "1", provider: "p", location: "l", gpus: 8 },
  ]);
});

test("price, model and availability, exactly", async () => {
  const body = '{"o": [{"id": "a", "by": "p", "at": "l", "n": "8", "$": 2.50, "m": "H100", "free": 0}]}';
  expect(await offers(body, { pricePerHour: "/$", gpuModel: "/m", available: "/free" })).toEqual([
    {
      offer: "a",
      provider: "p",
      location: "l",
      gpus: 8,
      pricePerHour: "2.50",
      gpuModel: "H100",
      available: false,
      stock: 0,
    },
  ]);
});

test.each([
  ["7", { available: true, stock: 7 }],
  ["2.5", { available: true, stock: 2 }],
  ["-1", { available: false, stock: 0 }],
  ['"3"', { available: true, stock: 3 }],
  ["true", { available: true }],
  ["null", {}],
])(
  "availability %s is what the profile's author said: a boolean, or a number of machines",
  async (free, more) => {
    const body = `{"o": [{"id": "a", "by": "p", "at": "l", "n": 8, "free": ${free}}]}`;
    expect(await offers(body, { available: "/free" })).toEqual([
      { offer: "a", provider: "p", location: "l", gpus: 8, ...more },
    ]);
  },
);

const WORDS = { available: { pointer: "/free", soldOut: ["bare", "Sold out"] } };

test.each([
  ['"bare"', { available: false }],
  ['"Sold out"', { available: false }],
  ['"ample"', { available: true }],
  ["null", {}],
  ['""', {}],
  ["true", { available: true }],
  ["false", { available: false }],
  ["0", { available: false, stock: 0 }],
  ["3", { available: true, stock: 3 }],
  ['"0"', { available: false, stock: 0 }],
])("%s, where the profile names the words that mean sold out", async (free, more) => {
  const body = `{"o": [{"id": "a", "by": "p", "at": "l", "n": 8, "free": ${free}}]}`;
  expect(await offers(body, WORDS)).toEqual([{ offer: "a", provider: "p", location: "l", gpus: 8, ...more }]);
});

test("a word is compared letter for letter, as all words of a profile", async () => {
  const body = '{"o": [{"id": "a", "by": "p", "at": "l", "n": 8, "free": "Bare"}]}';
  expect(await offers(body, WORDS)).toMatchObject([{ available: true }]);
});

test("what is neither a word, a boolean nor a number is named, and no offer is made of it", async () => {
  const list = await offers(
    '{"o": [{"id": "a", "by": "p", "at": "l", "n": 8, "free": {}}, {"id": "b", "by": "p", "at": "l", "n": 8}]}',
    WORDS,
  );
  expect(unreadText(list, "offers")).toContain(
    "available (/free) should be a word, true, false or a number, but is {}",
  );
});

test("a word that the profile does not expect is shown, with the line to write", async () => {
  const one = '{"id": "a", "by": "p", "at": "l", "n": 8, "free": "thin"}';
  const error = await failureOf(() => offers(`{"o": [${one}]}`, { available: "/free" }));
  expect(error.message).toContain(
    'available (/free) should be true, false or a number, but is "thin": where words say it, write ' +
      '"available: { pointer: /free, soldOut: [<each word that means sold out>] }"',
  );
  const other = await failureOf(() =>
    offers(`{"o": [${one.replace('"thin"', "{}")}]}`, { available: "/free" }),
  );
  expect(other.message).not.toContain("soldOut");
});

test("the same offer in two places is two offers", async () => {
  const row = (at: string) => `{"id": "a", "by": "p", "at": "${at}", "n": 8}`;
  expect(await offers(`{"o": [${row("x")}, ${row("y")}, ${row("x")}]}`)).toHaveLength(2);
});

test.each([
  ['"by": "p", "at": "l", "n": 8', "id (/id) should be a text or a whole number, but is missing"],
  [
    '"id": "a", "by": "p", "at": "l", "n": 0.5',
    'gpus (/n) should be a whole number of at most 10000, but is "0.5"',
  ],
  ['"id": "a", "by": "p", "at": "l", "n": 5000000000', "gpus (/n) should be a whole number of at most 10000"],
  [
    '"id": "a", "by": "p", "at": "l", "n": 8, "$": "-5"',
    'pricePerHour (/$) should be a price such as 1.50, but is "-5"',
  ],
  ['"id": "\\ud800", "by": "p", "at": "l", "n": 8', "half of a character"],
])("an offer {%s} is set aside and named, and the others count", async (fields, why) => {
  const good = '{"id": "b", "by": "p", "at": "l", "n": 8}';
  const list = await offers(`{"o": [{${fields}}, ${good}]}`, { pricePerHour: "/$" });
  expect(readable(list)).toEqual([{ offer: "b", provider: "p", location: "l", gpus: 8 }]);
  expect(unreadText(list, "offers")).toContain(
    "1 of 2 offers cannot be read and does not count (offers[0]: ",
  );
  expect(unreadText(list, "offers")).toContain(why);
});

test("where no offer can be read the list cannot be", async () => {
  const error = await failureOf(() => offers('{"o": [{"id": "a", "by": "p", "n": 8}]}'));
  expect(error.code).toBe("UNREADABLE_ANSWER");
  expect(error.message).toContain("offers[0]: location (/at) should be a text, but is missing");
  expect(error.message).toContain('Check "items" and "offers.fields" in the profile test.profile.yaml');
});
