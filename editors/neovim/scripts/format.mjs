// Format the plugin's Lua with StyLua: `npm run format`; `npm run check` only names the files that are not.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Config, IndentType, OutputVerification, QuoteStyle, formatCode } from "@johnnymorganz/stylua";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

// A new one for each file: formatting takes it over.
function style() {
  const config = Config.new();
  config.column_width = 110;
  config.indent_type = IndentType.Spaces;
  config.indent_width = 2;
  config.quote_style = QuoteStyle.AutoPreferDouble;
  return config;
}

const files = readdirSync(root, { recursive: true })
  .filter((name) => name.endsWith(".lua") && !name.includes("node_modules"))
  .map((name) => join(root, name));

let unformatted = 0;
for (const file of files) {
  const before = readFileSync(file, "utf8");
  const after = formatCode(before, style(), undefined, OutputVerification.Full);
  if (after !== before) {
    unformatted += 1;
    if (process.argv.includes("--check")) {
      console.error(`not formatted: ${relative(root, file)}`);
    } else {
      writeFileSync(file, after);
    }
  }
}
process.exitCode = process.argv.includes("--check") && unformatted > 0 ? 1 : 0;
