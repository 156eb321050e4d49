import path from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Tally } from "../../scripts/setup/tally.mjs";
import { readVitestReport } from "../../scripts/setup/vitest-report.mjs";
import { emptyFolder, write } from "./folder.ts";

beforeEach(() => void vi.spyOn(process.stdout, "write").mockReturnValue(true));

describe("the last line of npm test", () => {
  it("counts tests and checks, and mentions skipped ones only if there are any", () => {
    const tally = new Tally();
    tally.pass("lint");
    tally.addTests({ passed: 3, failed: 0, skipped: 0 }, 0);
    expect([tally.summary(), tally.exitCode()]).toEqual(["4 passed, 0 failed", 0]);
    tally.addTests({ passed: 1, failed: 1, skipped: 2 }, 1);
    expect([tally.summary(), tally.exitCode()]).toEqual(["5 passed, 1 failed, 2 skipped", 1]);
  });

  it("is a failure when the runner failed without a failed test", () => {
    const tally = new Tally();
    tally.addTests({ passed: 3, failed: 0, skipped: 0 }, 1);
    expect([tally.summary(), tally.exitCode()]).toEqual(["3 passed, 1 failed", 1]);
  });

  it("is a failure when the runner left no report, or nothing ran", () => {
    for (const counts of [undefined, { passed: 0, failed: 0, skipped: 9 }]) {
      const tally = new Tally();
      tally.pass("lint");
      tally.addTests(counts, 0);
      expect([tally.failed, tally.exitCode()]).toEqual([1, 1]);
    }
  });

  it("is a failure when the set-up ended before any test", () => {
    const tally = new Tally();
    tally.fail("set-up");
    expect([tally.summary(), tally.exitCode()]).toEqual(["0 passed, 1 failed", 1]);
  });
});

describe("the runner's report", () => {
  it("counts a file that could not be loaded as one failure, and names what failed and what was skipped", () => {
    const folder = emptyFolder();
    const file = path.join(folder, "report.json");
    const testResults = [
      { name: "test/a.test.ts", status: "failed", assertionResults: [] },
      { status: "failed", assertionResults: [{ status: "failed", fullName: "says it in Python" }] },
      {
        status: "passed",
        assertionResults: [
          { status: "passed" },
          { status: "todo", fullName: "says it in Go", tags: ["repeats"] },
          { status: "skipped", fullName: "the engine creates", tags: [] },
        ],
      },
    ];
    const numbers = { numPassedTests: 1, numFailedTests: 1 };
    write(folder, { "report.json": JSON.stringify({ ...numbers, testResults }) });
    const counts = { passed: 1, failed: 2, namesOfFailed: ["test/a.test.ts", "says it in Python"] };
    expect(readVitestReport(file)).toEqual({
      ...counts,
      skipped: 2,
      namesOfSkipped: ["says it in Go", "the engine creates"],
    });
    expect(readVitestReport(file, (tags) => tags.includes("repeats"))).toEqual({
      ...counts,
      skipped: 1,
      namesOfSkipped: ["the engine creates"],
    });
  });

  it("is nothing when there is none", () => {
    expect(readVitestReport(path.join(emptyFolder(), "report.json"))).toBeUndefined();
  });
});
