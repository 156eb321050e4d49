/** @typedef {{ passed: number, failed: number, skipped: number, namesOfSkipped?: string[], namesOfFailed?: string[] }} Counts */

/** What `npm test` found. Each test counts as one, and so does each check: lint, types, a failed set-up. */
export class Tally {
  passed = 0;
  failed = 0;
  skipped = 0;
  #testsRan = false;

  /** @param {string} name */
  pass(name) {
    this.passed += 1;
    process.stdout.write(`${name}: passed\n`);
  }

  /**
   * @param {string} name
   * @param {string} [why]
   */
  fail(name, why = "") {
    this.failed += 1;
    process.stdout.write(`\n${name}: FAILED\n${why}${why && "\n"}`);
  }

  /**
   * @param {Counts | undefined} counts undefined when the runner left no report
   * @param {number} exitCode the runner's
   */
  addTests(counts, exitCode) {
    this.passed += counts?.passed ?? 0;
    this.failed += counts?.failed ?? 0;
    this.skipped += counts?.skipped ?? 0;
    for (const name of counts?.namesOfSkipped ?? []) process.stdout.write(`skipped: ${name}\n`);
    for (const name of counts?.namesOfFailed ?? []) process.stdout.write(`failed: ${name}\n`);
    this.#testsRan = (counts?.passed ?? 0) > 0;
    // A file that cannot be loaded, or an error outside of tests: a failure, though no test says so.
    if (exitCode !== 0 && !counts?.failed)
      this.fail("tests", `the test runner ended with exit code ${exitCode}`);
    else if (!this.#testsRan && !counts?.failed) this.fail("tests", "no test ran");
  }

  /**
   * Each part of the proof counts as one.
   * @param {{ passed: number, failed: number } | undefined} counts undefined when it left none
   * @param {number} exitCode the proof's
   */
  addProof(counts, exitCode) {
    this.passed += counts?.passed ?? 0;
    this.failed += counts?.failed ?? 0;
    if (exitCode !== 0 && !counts?.failed) this.fail("proof", `it ended with exit code ${exitCode}`);
  }

  summary() {
    const skipped = this.skipped > 0 ? `, ${this.skipped} skipped` : "";
    return `${this.passed} passed, ${this.failed} failed${skipped}`;
  }

  exitCode() {
    return this.failed === 0 && this.#testsRan ? 0 : 1;
  }
}
