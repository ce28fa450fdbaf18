// Bundles the extension into dist/. `--production` minifies; `--watch` builds again on every change.
import { build, context } from "esbuild";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

/** @type {import("esbuild").BuildOptions} */
const options = {
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "none",
  logLevel: "warning",
  mainFields: ["module", "main"],
};

if (watch) await (await context(options)).watch();
else await build(options);
