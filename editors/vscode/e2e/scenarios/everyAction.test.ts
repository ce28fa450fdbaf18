import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { until } from "../support/condition.js";
import { type Script, block, findings } from "../support/panel.js";
import { BUG, CART, REPAIR, type Stage, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const TEST = "from cart import total\n\n\ndef test_several():\n    assert total([1, 2]) == 3\n";

const GOOD = CART.replace(BUG, REPAIR);

const finding = (window: Window, text: string): Locator =>
  window.tree("Findings").filter({ hasText: text }).first();

const proposed = (window: Window, text: string | RegExp): Locator =>
  window.tree("Proposal").filter({ hasText: text }).first();

/** Parts of lines that the diff editor marks as changed within their line: texts of one side, as they stand. */
async function changedWords(window: Window, side: "insert" | "delete"): Promise<string[]> {
  const marks = window.page.locator(`.monaco-diff-editor .char-${side}`);
  await marks.first().waitFor();
  return await marks.evaluateAll((found) => found.map((each) => (each as HTMLElement).style.width));
}

scenario(
  "written tests are a new file that shows which changes they notice; one that fails is a suspected bug",
  {
    files: { "cart.py": CART },
    says: {
      "*": [
        {
          text: `\`\`\`python\n${TEST}\n\ndef test_one():\n    assert total([2]) == 2\n\n\ndef test_none():\n    assert total([]) == 0\n\`\`\`\n`,
        },
      ],
    },
    settings: { "ensemble.mode": "quick" },
  },
  async ({ window, picture, read }) => {
    await window.openFile("cart.py", 2);
    await window.act("Ensemble: write tests for `total`");
    await window.tab("test_cart.py (proposal)").waitFor();
    await proposed(window, /2 tests/).waitFor();
    const report = await window.webview("h1:has-text('ests')");
    await report.getByText("test_several").first().waitFor();
    await finding(window, "test_several").waitFor();
    await picture("written-tests");
    await window.press("Control+Shift+Enter");
    await window.tab("test_cart.py (proposal)").waitFor({ state: "detached" });
    await window.command("File: Save All Files");
    await until("the file is there", () => read("test_cart.py").includes("def test_one():"));
    expect(read("test_cart.py")).not.toContain("def test_several");
  },
);

const PLACE = findings({
  path: "cart.py",
  line: 4,
  quote: "        result = price",
  title: "The sum is set anew",
  detail: "for [1, 2]",
});

const LOCATING: Script = {
  "*": [{ contains: "SEARCH", text: block("cart.py", BUG, REPAIR) }, { text: PLACE }],
};

scenario(
  "a failing test leads to ranked places among the findings, and a fix starts from the first",
  {
    files: { "cart.py": CART, "test_cart.py": TEST },
    says: LOCATING,
    settings: { "ensemble.mode": "quick" },
  },
  async ({ window, picture }) => {
    await window.openFile("test_cart.py", 5);
    await window.act("Ensemble: locate the bug of a failing test");
    const place = finding(window, "Place 1: total");
    await place.waitFor();
    await finding(window, "Where the fault may be").waitFor();
    expect(await place.innerText()).toMatch(/cart\.py:4.*coverage first/s);
    await picture("places");
    await place.hover();
    await place.getByRole("button", { name: "Fix" }).click();
    await window.tab("cart.py (proposal)").waitFor();
    await proposed(window, "the check passes").waitFor();
  },
);

const HOLE = '    return subprocess.run("ls " + name, shell=True).returncode\n';
const SAFE = '    return subprocess.run(["ls", name], check=False).returncode\n';

scenario(
  "a hole is a finding with its number, and comes with the patch that closes it",
  {
    files: { "shell.py": `import subprocess\n\n\ndef show(name):\n${HOLE}` },
    says: {
      "*": [
        { contains: "review this code for security holes", text: '{"findings": []}' },
        { contains: "Try to break each candidate", text: "NO FAULT: A" },
        { text: block("shell.py", HOLE, SAFE) },
      ],
    },
    settings: { "ensemble.mode": "quick" },
  },
  async ({ window, picture }) => {
    await window.openFile("shell.py", 5);
    await window.act("Ensemble: secure");
    await window.tab("shell.py (proposal)").waitFor();
    await proposed(window, "shell.py").waitFor();
    await until("the hole is a diagnostic", async () => (await window.problem("CWE-78")).isVisible());
    await picture("secured");
  },
);

const USER = "from prices import total\n\n\ndef order(prices):\n    return total(prices)\n";
const HEAD = "def total(prices):\n";

scenario(
  "a refactoring over modules has its plan beside the diff",
  {
    files: { "prices.py": GOOD, "order.py": USER },
    says: {
      "*": [
        {
          text: [
            "1. Rename the function where it is defined.\n2. Follow it in every module.\n",
            block("prices.py", HEAD, HEAD.replace("total", "summed")),
            block("order.py", USER, USER.replaceAll("total", "summed")),
          ].join("\n"),
        },
      ],
    },
    size: { width: 1440, height: 900 },
  },
  async ({ window, picture }) => {
    await window.openFile("prices.py", 1, 6);
    await window.act("Ensemble: refactor…");
    await window.answer("call it summed");
    await window.tab("prices.py (proposal)").waitFor();
    await proposed(window, "order.py").waitFor();
    const plan = await window.webview("li:has-text('Follow it in every module')");
    await plan.getByText("Follow it in every module").waitFor();
    const diff = window.page.locator(".monaco-diff-editor").first();
    await until("plan and diff stand beside each other", () => diff.isVisible());
    await picture("plan");
    await window.press("Control+Shift+Enter");
    await window.tab("prices.py (proposal)").waitFor({ state: "detached" });
  },
);

const README = "# Shop\n\nThe shop it does sum the prices.\n";
const DOCUMENTED = `def total(prices):\n    """Return teh sum of the prices."""\n    return sum(prices)\n`;

/** Members of a rewriting: the mark of the passage is not known before, so that a fence is what they write. */
const rewriting = (text: string): Script => ({
  "*": [
    { contains: "Compare each version", text: "NO FAULT: A\nBEST: A" },
    { text: `\`\`\`\n${text}\n\`\`\`\n` },
  ],
});

async function rewritten(stage: Stage, path: string, line: number, better: string): Promise<void> {
  const { window, picture } = stage;
  await window.openFile(path, line, 9);
  await window.act("Ensemble: rewrite this text");
  await window.answer("correct it");
  await window.tab(`${path} (proposal)`).waitFor();
  await proposed(window, path).waitFor();
  const whole = window.page.locator(".monaco-diff-editor .modified .view-line").filter({ hasText: better });
  await whole.first().waitFor();
  for (const side of ["insert", "delete"] as const) {
    for (const width of await changedWords(window, side)) {
      expect(Number.parseFloat(width), "a word, not the line").toBeLessThan(120);
    }
  }
  await picture(`rewritten-${path.replace(".", "-")}`);
}

scenario(
  "a rewritten paragraph shows which words changed",
  { files: { "README.md": README }, says: rewriting("The shop adds the prices.") },
  (stage) => rewritten(stage, "README.md", 3, "adds"),
);

scenario(
  "a rewritten docstring shows which word changed",
  {
    files: { "cart.py": DOCUMENTED },
    says: rewriting('    """Return the sum of the prices."""'),
  },
  (stage) => rewritten(stage, "cart.py", 2, "the sum"),
);

scenario(
  "a branch is reviewed from the point that the person chooses",
  {
    files: { "cart.py": GOOD },
    says: { "*": [{ contains: "review this code", text: PLACE }] },
    git: true,
  },
  async ({ window, write, git, picture }) => {
    const base = git("rev-parse", "--abbrev-ref", "HEAD").trim();
    git("switch", "--quiet", "--create", "feature");
    write("cart.py", CART);
    git("commit", "--quiet", "--all", "--message", "Break it");
    await window.command("Ensemble: Review Changes Since a Branch…");
    await until(`${base} is offered`, async () => (await window.picks()).some((each) => each.includes(base)));
    await picture("review-since");
    await window.pick(base);
    await window.command("Ensemble: Focus on Findings View");
    await finding(window, "The sum is set anew").waitFor();
  },
);
