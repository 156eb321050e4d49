import Big from "big.js";
import { expect, test } from "vitest";
import { usdText } from "../../service/contract/money.ts";

test.each([
  ["2.7", "2.70"],
  ["45", "45.00"],
  ["19.9200", "19.92"],
  ["2.3750", "2.375"],
  ["383.9999", "383.9999"],
  ["0.333333333334", "0.3333"],
  ["-0.5", "-0.50"],
  ["1234567.8", "1234567.80"],
])("%s USD are written %s for people", (amount, text) => {
  expect(usdText(amount)).toBe(text);
  expect(usdText(new Big(amount))).toBe(text);
});

test("what nobody knows is a question mark", () => {
  expect([null, undefined, "?", "a lot"].map(usdText)).toEqual(["?", "?", "?", "?"]);
});
