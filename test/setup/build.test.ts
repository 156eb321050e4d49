import { expect, it } from "vitest";
import { readDeclarations, testsFor } from "../../scripts/setup/vitest-arguments.mjs";

it("builds the types for whatever may read them: only tests that are clearly others do without", () => {
  const without = [["test/launch"], ["test/cli/plan.test.ts", "-t", "a name"], ["--bail=1", "test/agent"]];
  expect(without.map(readDeclarations)).toEqual([false, false, false]);
  const reading = [
    [],
    ["test/engine"],
    ["test/launch", "test/package"],
    ["smoke"],
    ["-t", "a name"],
    ["test"],
  ];
  expect(reading.map(readDeclarations)).toEqual(reading.map(() => true));
});

it("leaves the long proof out only for those who name no tests", () => {
  expect(testsFor([]).join(" ")).toContain("--exclude test/proof/killed-*.test.ts");
  expect(testsFor(["test/proof/killed-host.test.ts"])).toEqual(["test/proof/killed-host.test.ts"]);
});
