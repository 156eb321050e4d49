import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { repeatingTests, TAG, testsFor } from "../../scripts/setup/vitest-arguments.mjs";
import { REPEATS } from "../support/repeats.ts";

const TESTS = path.resolve(import.meta.dirname, "..");
const files = readdirSync(TESTS, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
const textOf = (name: string): string => readFileSync(path.join(TESTS, name), "utf8");
const [first, second] = [testsFor([]), repeatingTests()];

it("each test is in npm test or in npm test -- --repeats: what one leaves out by a tag, the other runs", () => {
  expect([first[0], second[0], REPEATS.tags]).toEqual([
    `--tags-filter=!${TAG}`,
    `--tags-filter=${TAG}`,
    [TAG],
  ]);
  const excluded = first.flatMap((arg, at) => (first[at - 1] === "--exclude" ? [arg] : []));
  const [proof, ...whole] = excluded;
  expect(proof).toBe("test/proof/killed-*.test.ts");
  expect(whole.length).toBeGreaterThan(2);
  // A file that is left out by its name has no test of the first loop, as the second one sees it.
  for (const file of whole) {
    expect(second).toContain(file);
    expect(textOf(path.relative("test", file))).toMatch(/^\/\/ @module-tag repeats\n/);
  }
});

it("a tag stands where the second loop looks for it: in the file of tests itself, by its name", () => {
  const ownTag = /"repeats"|@module-tag/;
  const wrong = files.filter((name) => {
    if (["setup/two-loops.test.ts", "setup/tally.test.ts", "support/repeats.ts"].includes(name)) return false;
    const text = textOf(name).replace(/^\/\/ @module-tag repeats\n/, "");
    return ownTag.test(text) || (/\bREPEATS\b/.test(text) && !name.endsWith(".test.ts"));
  });
  expect(wrong).toEqual([]);
});
