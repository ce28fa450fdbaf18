import { defineConfig } from "vitest/config";
import scenarios from "./vitest.config.js";

/** Figures, on the same stage as the scenarios. */
export default defineConfig({ test: { ...scenarios.test, include: ["figures/**/*.test.ts"] } });
