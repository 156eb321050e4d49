import { expect, test } from "vitest";
import type { Violation } from "../../proof/oracles/evidence.ts";
import { caughtBy } from "../../proof/planted.ts";
import type { Plant } from "../../proof/plants.ts";
import type { Totals } from "../../proof/seeds/seeds.ts";

const PLANT: Plant = { name: "a bug", rule: "a rule", edits: [] };

function failed(...rules: readonly Violation["rule"][]): Pick<Totals, "failed"> {
  return { failed: [{ seed: "7", violations: rules.map((rule) => ({ rule, at: 0, what: "" })) }] };
}

test("a planted bug is caught by a rule of an oracle, and not by a simulation that ends with an error", () => {
  expect(caughtBy(PLANT, { failed: [] })).toBeUndefined();
  expect(caughtBy(PLANT, failed("the simulation itself"))).toBeUndefined();
  expect(caughtBy(PLANT, failed("the simulation itself", "4.10 count"))).toEqual({
    where: "seed 7",
    rule: "4.10 count",
  });
});

test("where a plant names its rule, no other one counts", () => {
  const strict: Plant = { ...PLANT, directed: ["a story"], oracle: "4.3 halt" };
  expect(caughtBy(strict, failed("4.10 count"))).toBeUndefined();
  expect(caughtBy(strict, failed("4.10 count", "4.3 halt"))).toEqual({ where: "7", rule: "4.3 halt" });
});
