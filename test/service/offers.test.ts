import { expect, test } from "vitest";
import { readable, unreadText } from "../../service/contract/unread.ts";
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

const TOLD = { gpuModel: "/m", pricePerHour: "/$", available: "/free" };
const ONE = { id: "a", by: "p", at: "l", n: 1, m: "H100", $: 2, free: true };

/** Each array is a page. */
function pagesOf(...pages: readonly (readonly object[])[]) {
  const pagination = { kind: "page", pageParameter: "page", sizeParameter: "size", first: 1, size: 9 };
  const parts = { offers: { list: { items: "/o", pagination }, fields: { ...FIELDS, ...TOLD } } };
  return serviceOf(
    parts,
    [...pages, []].map((o) => ({ body: JSON.stringify({ o }) })),
  ).service.offers(never());
}

const OTHER = { ...ONE, id: "b" };

test.each<[string, object]>([
  ["gpus (1, and 8)", { n: 8 }],
  ["gpuModel (H100, and A100)", { m: "A100" }],
  ["pricePerHour (2, and 9)", { $: 9 }],
  ["gpus (1, and 8) and pricePerHour (2, and 9)", { n: 8, $: 9 }],
])("two offers of one combination are none, and what tells them apart is named: %s", async (what, more) => {
  const [none, other] = await pagesOf([ONE, { ...ONE, ...more }, OTHER]);
  expect(none).toMatchObject({
    where: "a @ p/l",
    unread: expect.stringContaining(`differ in ${what}, so a launch`),
  });
  expect(other).toMatchObject({ offer: "b" });
});

test("what lasts differs from page to page in two offers only; a price that changed counts as the higher one", async () => {
  expect(await pagesOf([ONE, OTHER], [{ ...ONE, n: 8 }])).toMatchObject([
    { where: "a @ p/l" },
    { offer: "b" },
  ]);
  const dearer = { offer: "a", pricePerHour: "3", available: false };
  expect(await pagesOf([ONE, OTHER], [{ ...ONE, $: 3, free: false }])).toMatchObject([
    dearer,
    { offer: "b" },
  ]);
  expect(await pagesOf([{ ...ONE, $: 3, free: false }], [ONE, OTHER])).toMatchObject([
    dearer,
    { offer: "b" },
  ]);
  expect(await pagesOf([ONE], [{ ...ONE, $: null }, OTHER])).toEqual([
    expect.not.objectContaining({ pricePerHour: "2" }),
    expect.anything(),
  ]);
});

test("a list of nothing but such offers is an error that names the difference", async () => {
  const { message } = await failureOf(() => pagesOf([ONE, { ...ONE, n: 8 }]));
  expect(message).toContain("a @ p/l: two offers are this combination and differ in gpus (1, and 8)");
});
