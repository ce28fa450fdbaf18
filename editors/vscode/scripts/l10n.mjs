// Writes l10n/bundle.l10n.json, what translators start from: `npm run generate`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const sources = fileURLToPath(new URL("../src", import.meta.url));
const target = fileURLToPath(new URL("../l10n/bundle.l10n.json", import.meta.url));

/** The first argument of every `t("…")` and `l10n.t("…")`. */
function* texts(node) {
  if (ts.isCallExpression(node)) {
    const { expression } = node;
    const name = ts.isIdentifier(expression)
      ? expression.text
      : ts.isPropertyAccessExpression(expression)
        ? expression.name.text
        : "";
    const [first] = node.arguments;
    if (name === "t" && first !== undefined && ts.isStringLiteralLike(first)) yield first.text;
  }
  for (const child of node.getChildren()) yield* texts(child);
}

/** The bundle's text: every message once, each its own translation. */
export function bundle() {
  const found = new Set();
  for (const file of readdirSync(sources, { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".generated.ts")) continue;
    const text = readFileSync(join(sources, file), "utf8");
    for (const each of texts(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))) found.add(each);
  }
  return `${JSON.stringify(Object.fromEntries([...found].sort().map((each) => [each, each])), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(target, bundle());
