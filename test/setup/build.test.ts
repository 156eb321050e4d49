import { expect, it } from "vitest";
import { changedFiles } from "../../scripts/setup/build.mjs";
import { readDeclarations, testsFor } from "../../scripts/setup/vitest-arguments.mjs";

it("knows which files were edited, added or removed since dist/ was built, and all of them where nothing is known", () => {
  const built = { declarations: true, files: { "a.ts": "1", "b.ts": "2", "c.ts": "3" } };
  expect(changedFiles(built, { "a.ts": "1", "b.ts": "9", "d.ts": "4" }).sort()).toEqual([
    "b.ts",
    "c.ts",
    "d.ts",
  ]);
  expect(changedFiles(built, built.files)).toEqual([]);
  expect(changedFiles(undefined, { "a.ts": "1" })).toEqual(["a.ts"]);
});

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
  expect(testsFor([])).toEqual(["--exclude", "test/proof/killed-*.test.ts"]);
  expect(testsFor(["test/proof/killed-host.test.ts"])).toEqual(["test/proof/killed-host.test.ts"]);
});
