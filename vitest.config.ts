import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: Vitest takes its configuration from the default export.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // One less, as is the default, is half of a machine with two.
    maxWorkers: "100%",
    // A test that leaves a fake clock or a spy behind would change the meaning of the next one.
    restoreMocks: true,
  },
});
