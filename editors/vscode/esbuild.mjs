// Bundles the extension into dist/. `--production` minifies; `--watch` builds again on every change.
import { build, context } from "esbuild";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  legalComments: "none",
  logLevel: "warning",
  mainFields: ["module", "main"],
};

/** @type {import("esbuild").BuildOptions} */
const host = {
  ...common,
  entryPoints: { extension: "src/extension.ts" },
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
};

/** The live view's page, which runs in a browser. @type {import("esbuild").BuildOptions} */
const page = {
  ...common,
  entryPoints: { page: "src/live/page/main.ts", "page-style": "src/live/page/page.css" },
  outdir: "dist/live",
  platform: "browser",
  format: "esm",
  target: "es2022",
};

for (const options of [host, page]) {
  if (watch) await (await context(options)).watch();
  else await build(options);
}
