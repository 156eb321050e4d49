import Big from "big.js";
import { expect, test } from "vitest";
import { cheapestMix } from "../../agent/planning/mix/mix.ts";

test("more offers than one call can have arguments are chosen among", () => {
  const options = Array.from({ length: 150_000 }, (_, index) => ({
    offer: `o${index}`,
    provider: "p",
    location: "l",
    gpus: 8,
    pricePerHour: new Big(20 + index),
  }));
  expect(cheapestMix(options, { gpus: 16, slack: 0 })?.map(({ offer }) => offer)).toEqual(["o0", "o0"]);
});
