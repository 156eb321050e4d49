import { expect, test } from "vitest";
import { fill, fillText } from "../../service/text/template.ts";
import { failureOf } from "./support.ts";

const values: Record<string, string | number | boolean | null | string[]> = {
  offer: "o-1",
  "parameters.gpus": 8,
  "parameters.spot": false,
  "parameters.keys": ["a", "b"],
  "parameters.nothing": null,
};
const lookup = (name: string) => values[name];

test("a placeholder alone keeps the type of its value", () => {
  expect(
    fill(
      {
        gpus: "{parameters.gpus}",
        spot: "{parameters.spot}",
        keys: ["{parameters.keys}"],
        none: "{parameters.nothing}",
      },
      lookup,
    ),
  ).toEqual({ gpus: 8, spot: false, keys: [["a", "b"]], none: null });
});

test("a placeholder inside a longer text becomes text", () => {
  expect(fill("{offer} x{parameters.gpus}", lookup)).toBe("o-1 x8");
});

test("a value is never searched for placeholders or special patterns", () => {
  expect(fill(["{offer}", "a{offer}b"], () => '{secret}","admin":true,$&')).toEqual([
    '{secret}","admin":true,$&',
    'a{secret}","admin":true,$&b',
  ]);
});

test("keys, other values and other braces stay as they are", () => {
  const template = { "{offer}": 1, script: 'echo {"a":1} {}', flag: true };
  expect(fill(template, lookup)).toEqual(template);
});

test("a missing parameter is named, with the remedy", async () => {
  const error = await failureOf(() => fill({ a: "{parameters.image}" }, lookup));
  expect(error.code).toBe("CONFIG");
  expect(error.message).toContain(
    'needs the parameter "image", which was not given: add "image" to "parameters"',
  );
});

test("an unknown placeholder is named", async () => {
  expect((await failureOf(() => fill("{ofer}", lookup))).message).toContain("{ofer}, which does not exist");
});

test("a list inside a longer text is refused rather than guessed at", async () => {
  expect((await failureOf(() => fillText("keys: {parameters.keys}", lookup))).message).toContain(
    "its value is a list",
  );
});

test("the encoder is applied to values only", () => {
  expect(fillText("/d/{offer}/x y", () => "a/b?c", encodeURIComponent)).toBe("/d/a%2Fb%3Fc/x y");
});

test.each<[string | number, string]>([
  ["9007199254740993", "9007199254740993"],
  ["12345678901234567890123", "12345678901234567890123"],
  [42, "42"],
  ["-0.10", "-0.10"],
  ["1e3", "1e3"],
])("{ number } sends the digits of %s as a number, and loses none", (value, sent) => {
  const template = { id: { number: "{offer}" }, deep: [{ number: "{offer}" }] };
  expect(JSON.stringify(fill(template, () => value))).toBe(`{"id":${sent},"deep":[${sent}]}`);
});

test.each(["h100", "", "007", "1_000", "0x10", "1,2", "1}", " 1", "Infinity", true, null, [1]])(
  "{ number } of %j is an error that says so",
  async (value) => {
    const error = await failureOf(() => fill({ id: { number: "{offer}" } }, () => value));
    expect(error.code).toBe("CONFIG");
    expect(error.message).toContain(`sends {offer} as a number, and ${JSON.stringify(value)} is none`);
  },
);

test.each([{ number: "{offer}", unit: "x" }, { number: "no. {offer}" }, { number: 5 }, { number: "5" }])(
  "an object of the service's own stays one: %j",
  (own) => {
    expect(fill({ own }, () => "7")).toEqual({
      own: JSON.parse(JSON.stringify(own).replace("{offer}", "7")),
    });
  },
);
