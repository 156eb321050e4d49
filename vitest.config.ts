import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { TAG } from "./scripts/setup/vitest-arguments.mjs";

/** The longest first: one that began last would keep a single core busy at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      ["/test/ledger/postgres/histories.", "/test/engine/", "/test/package/", "/test/cli/"].findIndex(
        (folder) => moduleId.includes(folder),
      );
    const sorted = await super.sort(files);
    const others = sorted.filter((file) => rank(file) === -1);
    return [
      ...sorted.filter((file) => rank(file) !== -1).sort((one, other) => rank(one) - rank(other)),
      ...others,
    ];
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest takes its configuration from the default export.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    tags: [
      { name: TAG, description: "says once more what others say: npm test leaves it out, .ci/run has it" },
    ],
    globalSetup: ["test/support/homes.ts"],
    setupFiles: ["test/support/own-home.ts"],
    // These end what hangs, and never what is slow: the machine may be busy with other things.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // Two more than there are cores: tests of the command line and of the engine wait for processes half of
    // the time.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // The files of a worker share its modules: to load them anew for each file took a quarter of the time. So a
    // hook at the top of a file that tests import would be the first test file's alone: onTestFinished is not.
    isolate: false,
    // A test that leaves a fake clock or a spy behind would change the meaning of the next one.
    restoreMocks: true,
  },
});
