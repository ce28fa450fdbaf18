import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The live view's page alone, in Chromium: no VS Code, no server. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["live/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 60_000,
  },
});
