import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["scenarios/**/*.test.ts"],
    globalSetup: ["support/host.ts"],
    // One window at a time: two would take turns on the same settings and the same two cores.
    fileParallelism: false,
    isolate: false,
    // A window on a busy machine loses a key now and then; what fails twice is broken. The report says what was retried.
    retry: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ["verbose"],
  },
});
