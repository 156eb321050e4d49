import { readFileSync } from "node:fs";

/**
 * The counts in the report of Vitest's JSON reporter. A failed file without a failed test (it could not be
 * loaded) counts as one failure. A test that the other loop has was not skipped: it is no test of this one.
 * @param {string} file
 * @param {(tags: string[]) => boolean} [isOfOtherLoop]
 * @returns {import("./tally.mjs").Counts | undefined}
 */
export function readVitestReport(file, isOfOtherLoop = () => false) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // The runner ended before it wrote a report. Its exit code tells.
    return undefined;
  }
  /** @type {{ name: string, status: string, assertionResults: { status: string, fullName: string, tags?: string[] }[] }[]} */
  const files = report.testResults;
  const unloaded = files.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((result) => result.status === "failed"),
  );
  const results = files.flatMap(({ assertionResults }) => assertionResults);
  const skipped = results.filter(({ status, tags = [] }) => notRun.has(status) && !isOfOtherLoop(tags));
  const failed = results.filter(({ status }) => status === "failed");
  return {
    namesOfFailed: [...unloaded.map(({ name }) => name), ...failed.map(({ fullName }) => fullName)],
    namesOfSkipped: skipped.map(({ fullName }) => fullName),
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: skipped.length,
  };
}

/**
 * What `proof/prove/index.ts` wrote with --counts.
 * @param {string} file
 * @returns {{ passed: number, failed: number } | undefined}
 */
export function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

const notRun = new Set(["skipped", "pending", "todo"]);
