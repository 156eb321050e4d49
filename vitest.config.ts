import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: Vitest takes its configuration from the default export.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // One more than there are cores: tests of the command line and of the engine wait for processes half of
    // the time.
    maxWorkers: availableParallelism() + 1,
    // A test that leaves a fake clock or a spy behind would change the meaning of the next one.
    restoreMocks: true,
  },
});
