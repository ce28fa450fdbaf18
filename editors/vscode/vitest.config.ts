import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The machine that runs this runs other tests beside it.
    maxWorkers: 2,
    testTimeout: 90_000,
  },
});
