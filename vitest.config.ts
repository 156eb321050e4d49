import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: Vitest takes its configuration from the default export.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // These end what hangs, and never what is slow: the machine may be busy with other things.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // One more than there are cores: tests of the command line and of the engine wait for processes half of
    // the time.
    maxWorkers: availableParallelism() + 1,
    // A test that leaves a fake clock or a spy behind would change the meaning of the next one.
    restoreMocks: true,
  },
});
