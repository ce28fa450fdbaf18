/** Runs e2e/inside in the extension host of a real window, against the real server; its lines are printed as they come. */
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, expect } from "vitest";
import { until } from "../support/condition.js";
import { block, findings } from "../support/panel.js";
import { extension } from "../support/paths.js";
import { BUG, CART, REPAIR, scenario } from "../support/stage.js";

const tests = join(extension, ".cache", "inside", "index.cjs");

const lines: string[] = [];
let code: number | undefined;

beforeAll(async () => {
  await build({
    entryPoints: [join(extension, "e2e", "inside", "index.ts")],
    outfile: tests,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    sourcemap: "inline",
    external: ["vscode", "mocha"],
    logLevel: "warning",
  });
});

const DUTY = "def duty(price):\n    return price * levy(price)\n";

scenario(
  "tests in the extension host",
  {
    files: {
      "cart.py": CART,
      "sum.py": CART,
      "duty.py": DUTY,
      // Nothing in the code says that this is what duty.py calls `levy`.
      "tariff.py": "def charge(kind):\n    return kind.rate  # levy of the harbour\n",
    },
    says: {
      "*": [
        {
          contains: "review this code",
          text: findings({
            path: "cart.py",
            line: 4,
            quote: "        result = price",
            title: "The loop overwrites the sum",
            detail: "total([1, 2]) gives 2",
          }),
        },
        {
          contains: "explain this code",
          text: JSON.stringify({
            claims: [{ kind: "purpose", text: "Sums the prices of a cart.", line: 1, symbol: "total" }],
          }),
        },
        { text: block("sum.py", BUG, REPAIR) },
      ],
    },
    inside: {
      tests,
      line: (text) => {
        lines.push(text);
        process.stdout.write(`${text}\n`);
      },
      exit: (ended) => {
        code = ended;
      },
    },
    timeout: 600_000,
  },
  async () => {
    await until("the tests end", () => code !== undefined, 480_000);
    expect(lines.join("\n")).toMatch(/\d+ passing/);
    expect(code, lines.join("\n")).toBe(0);
  },
);
