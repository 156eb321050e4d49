import { expect, test } from "vitest";
import {
  canonicalJson,
  parseJson,
  readBoolean,
  readDecimal,
  readInteger,
  readText,
} from "../../service/text/json.ts";

test("a number that JavaScript would change keeps its exact digits", () => {
  const text = '{"id": 12345678901234567890, "price": 0.10, "tiny": 1e-7, "gpus": 8, "list": [1.50]}';
  expect(parseJson(text)).toEqual({
    id: "12345678901234567890",
    price: "0.10",
    tiny: "1e-7",
    gpus: 8,
    list: ["1.50"],
  });
});

const EXACT = ["12345678901234567890", "-9007199254740993", "0.10", "-1.50", "1.5e-3", "1E30"];
const BEFORE = [
  "",
  " ",
  "\n\t",
  "-7, ",
  '"a, 1", ',
  '"\\\\", ',
  '"\\"1", ',
  '[{"}]": []}], ',
  "true, false, null, ",
];

test.each(EXACT)("%s keeps its digits wherever it stands", (number) => {
  for (const before of BEFORE)
    for (const text of [
      `[${before}${number}]`,
      `[${before}{"k" :\n${number} }]`,
      `[${before}[[${number}],1]]`,
    ])
      expect(JSON.stringify(parseJson(text)), text).toContain(`"${number}"`);
  expect(parseJson(`\n${number} `)).toBe(number);
});

test.each([0, 7, -7, 123456789012345, -123456789012345])("%d is a number wherever it stands", (number) => {
  for (const before of BEFORE)
    expect(JSON.stringify(parseJson(`[${before}${number},"1e3","0.10",true]`))).toContain(
      `${number},"1e3","0.10",true]`,
    );
});

test.each([
  ["1.0", 1],
  ["1e3", 1000],
  ["2.5E1", 25],
  ["0e0", 0],
])("a safe integer written as %s is a number", (written, number) => {
  expect(parseJson(`[${written}]`)).toEqual([number]);
});

test.each(['["', '["\\', "[1", '{"a" 1}', "", "[01]", "[1.]"])("%s is an error", (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

test("a key of the prototype is a key like any other", () => {
  const value = parseJson('{"__proto__": {"polluted": 1}}');
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test("hopelessly deep nesting is an error that can be caught", () => {
  expect(() => parseJson("[".repeat(200_000) + "]".repeat(200_000))).toThrow();
  expect(() => parseJson(`${"[1,".repeat(200_000)}1${"]".repeat(200_000)}`)).toThrow();
  expect(() => parseJson(`${'{"]":'.repeat(200_000)}1${"}".repeat(200_000)}`)).toThrow();
});

test("readers take what means the same and refuse the rest", () => {
  expect([readText("a"), readText(7), readText(""), readText(null), readText({}), readText(true)]).toEqual([
    "a",
    "7",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(["1.50", 2, "1e-7", "2.5E3", "1e999", "abc", "0x10", " 1", "NaN"].map(readDecimal)).toEqual([
    "1.50",
    "2",
    "0.0000001",
    "2500",
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect([8, "8", "8.0", "8.5", "12345678901234567890"].map(readInteger)).toEqual([
    8,
    8,
    8,
    undefined,
    undefined,
  ]);
  expect([true, "false", 0, 3, "0", "yes", null].map(readBoolean)).toEqual([
    true,
    false,
    false,
    true,
    false,
    undefined,
    undefined,
  ]);
});

test("canonical JSON does not depend on the order of keys, but on the order of lists", () => {
  expect(canonicalJson({ b: 1, a: { d: 2, c: [2, 1] } })).toBe('{"a":{"c":[2,1],"d":2},"b":1}');
});
