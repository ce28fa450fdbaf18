import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Measurements of docs/bench.md: they print figures and fail for none. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["live/**/*.measure.ts"],
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
