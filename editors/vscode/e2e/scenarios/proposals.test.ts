import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { until } from "../support/condition.js";
import { type Script, block } from "../support/panel.js";
import { filesAfter, filesBefore, isOnDisk, renaming } from "../support/forty.js";
import { BUG, CART, REPAIR, type Stage, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const MEAN = "    return total(prices) / len(price)\n";
const MEAN_REPAIRED = "    return total(prices) / len(prices)\n";

/** Two mistakes, far enough from each other to be two hunks. */
const TWO = [
  "def total(prices):",
  "    result = 0",
  "    for price in prices:",
  "        result = price",
  "    return result",
  "",
  "",
  "# Prices are in cents.",
  "",
  "",
  "def mean(prices):",
  "    return total(prices) / len(price)",
  "",
].join("\n");

const BOTH = TWO.replace(BUG, REPAIR).replace(MEAN, MEAN_REPAIRED);

const answer = (more: object = {}, ...blocks: string[]): Script => ({
  "*": [{ text: `The loop forgets the sum.\n\n${blocks.join("\n")}`, ...more }],
});

const fixes = (more: object = {}): Script =>
  answer(more, block("cart.py", BUG, REPAIR), block("cart.py", MEAN, MEAN_REPAIRED));

async function ask(window: Window, file = "cart.py", line = 4): Promise<void> {
  await window.openFile(file, line);
  await window.act("Ensemble: fix…");
  await window.answer("the sum is wrong");
}

/** Ask for a fix and wait for its diff. */
async function propose(window: Window, file = "cart.py", line = 4): Promise<void> {
  await ask(window, file, line);
  await window.tab(`${file} (proposal)`).waitFor();
  await row(window, file).waitFor();
}

function row(window: Window, title: string): Locator {
  return window.tree("Proposal").filter({ hasText: title }).first();
}

async function isTicked(hunk: Locator): Promise<boolean> {
  return (await hunk.locator(".monaco-custom-toggle").getAttribute("aria-checked")) === "true";
}

/** The text of the file in front, as the editor has it. */
async function text({ window, read }: Stage, path = "cart.py"): Promise<string> {
  await window.save();
  return read(path);
}

scenario(
  "fix, preview, untick one hunk, accept, undo",
  { files: { "cart.py": TWO }, says: fixes() },
  async (stage) => {
    const { window, picture, read } = stage;
    await propose(window);
    await picture("proposal");
    expect(read("cart.py"), "nothing is changed before it is accepted").toBe(TWO);

    await window.press("Control+Backspace");
    await until("the hunk at the cursor is out", async () => !(await isTicked(row(window, "Line 4"))));
    await until(
      "the diff follows the ticks",
      async () => !(await window.shown()).includes("result += price"),
    );
    expect(await isTicked(row(window, "Line 12"))).toBe(true);

    await window.press("Control+Shift+Enter");
    await row(window, "Line 12").waitFor({ state: "detached" });
    await window.press("Control+Tab");
    expect(await text(stage)).toBe(TWO.replace(MEAN, MEAN_REPAIRED));
    expect(await row(window, "Line 4").count(), "what was left out waits").toBe(1);

    await window.press("Control+z");
    expect(await text(stage), "one undo takes one accept back").toBe(TWO);
    await row(window, "Line 12").waitFor();
  },
);

scenario(
  "walk through the hunks, read why, accept one after the other",
  { files: { "cart.py": TWO }, says: fixes() },
  async (stage) => {
    const { window, picture } = stage;
    await propose(window);
    await window.press("Alt+ArrowDown");
    await window.status("Ln 12, Col 1").waitFor();
    await window.press("Control+i");
    const hover = window.page
      .locator(".monaco-hover:visible")
      .filter({ hasText: "The same lines came from" });
    await hover.waitFor();
    await picture("proposal-why");
    await window.press("Escape");
    await window.press("Control+Enter");
    await row(window, "Line 12").waitFor({ state: "detached" });
    await window.status("Ln 4, Col 1").waitFor();
    await window.press("Control+Enter");
    await window.tab("cart.py (proposal)").waitFor({ state: "detached" });
    expect(await text(stage), "the file is in front, with both changes").toBe(BOTH);
    await window.press("Control+z");
    expect(await text(stage), "each accept is one step").toBe(TWO.replace(MEAN, MEAN_REPAIRED));
  },
);

scenario(
  "typing during the job keeps what is typed, and the diff does not take its place",
  { files: { "cart.py": TWO }, says: fixes({ latency: 3 }) },
  async (stage) => {
    const { window, picture } = stage;
    await ask(window);
    await window.goTo(1);
    await window.type("# typed meanwhile\n");
    await window.page.locator(".action-item[aria-label*='1 proposal']").waitFor();
    await window.notice("Fix total");
    expect(await window.tab("cart.py (proposal)").count()).toBe(0);
    await picture("proposal-offered");
    await window.choose("Fix total", "Accept");
    await until("the fix is in", async () => (await window.shown()).includes("result += price"));
    expect(await text(stage)).toBe(`# typed meanwhile\n${BOTH}`);
  },
);

scenario(
  "lines that the person changed are a conflict: shown, never applied",
  { files: { "cart.py": TWO }, says: fixes() },
  async (stage) => {
    const { window, picture } = stage;
    await propose(window);
    await window.press("Control+Tab");
    await window.goTo(4, 18);
    await window.type("s");
    await row(window, "conflict: you changed these lines").waitFor();
    await picture("proposal-conflict");
    await window.command("Ensemble: Accept All Ticked Changes");
    await row(window, "Line 12").waitFor({ state: "detached" });
    expect(await text(stage)).toBe(
      TWO.replace(BUG, "        result = sprice\n").replace(MEAN, MEAN_REPAIRED),
    );
    expect(await row(window, "conflict: you changed these lines").count()).toBe(1);
    await window.command("Ensemble: Reject Proposal");
    await row(window, "cart.py").waitFor({ state: "detached" });
  },
);

scenario(
  "a file with CRLF keeps its line endings",
  { files: { "cart.py": TWO.replaceAll("\n", "\r\n") }, says: fixes() },
  async (stage) => {
    const { window } = stage;
    await propose(window);
    await window.press("Control+Shift+Enter");
    await window.tab("cart.py (proposal)").waitFor({ state: "detached" });
    expect(await text(stage)).toBe(BOTH.replaceAll("\n", "\r\n"));
  },
);

const EMOJI = TWO.replace("def total(prices):", 'def total(prices):  # "🧺👩‍👩‍👧" and \u2028 within').replace(
  BUG,
  '        "🎉"; result = price\n',
);

scenario(
  "an emoji and a line separator before the range move nothing",
  {
    files: { "cart.py": EMOJI },
    settings: { "editor.unusualLineTerminators": "off" },
    says: answer({}, block("cart.py", '        "🎉"; result = price\n', '        "🎉"; result += price\n')),
  },
  async (stage) => {
    const { window } = stage;
    await propose(window);
    await window.press("Control+Shift+Enter");
    await window.tab("cart.py (proposal)").waitFor({ state: "detached" });
    expect(await text(stage)).toBe(EMOJI.replace("result = price", "result += price"));
  },
);

scenario(
  "two candidates: the other one is looked at and accepted",
  {
    files: { "cart.py": TWO },
    members: ["alpha", "beta", "gamma"],
    says: {
      alpha: [{ text: block("cart.py", BUG, REPAIR) }],
      beta: [{ text: block("cart.py", BUG, REPAIR) }],
      gamma: [{ text: block("cart.py", BUG, "        result = result + price\n") }],
    },
  },
  async (stage) => {
    const { window, picture } = stage;
    await propose(window);
    await row(window, "Candidates (2)").waitFor();
    expect(await window.shown()).toContain("result += price");
    await window.command("Ensemble: Choose Candidate");
    await window.pick("gamma");
    await until("the diff shows the other candidate", async () =>
      (await window.shown()).includes("result = result + price"),
    );
    await picture("proposal-candidate");
    await window.press("Control+Shift+Enter");
    await window.tab("cart.py (proposal)").waitFor({ state: "detached" });
    expect(await text(stage)).toBe(TWO.replace(BUG, "        result = result + price\n"));
  },
);

scenario(
  "a refactoring of forty files: all of them in one view, accepted and undone as one",
  { files: filesBefore, says: { "*": [{ text: renaming }] }, timeout: 600_000 },
  async (stage) => {
    const { window, picture, read } = stage;
    await window.openFile("prices.py", 1, 6);
    await window.act("Ensemble: refactor…");
    await window.answer("rename total to sum_of_prices everywhere");
    await window.tab("prices.py (proposal)").waitFor();
    await row(window, "prices.py").waitFor();
    await picture("proposal-forty");
    await window.command("Ensemble: Show All Files of the Proposal");
    await window.page.locator(".multiDiffEntry").first().waitFor();
    await picture("proposal-forty-all");
    await window.command("Ensemble: Accept All Ticked Changes");
    await row(window, "prices.py").waitFor({ state: "detached" });
    // The view is empty before the editor has changed the last of forty files: what comes late is saved again.
    const saved = async (files: Readonly<Record<string, string>>): Promise<boolean> => {
      await window.command("File: Save All Files");
      return isOnDisk(read, files);
    };
    await until("every file is written", () => saved(filesAfter));
    await window.openFile("prices.py", 1);
    await window.press("Control+z");
    await row(window, "prices.py").waitFor();
    await until("every file is as it was", () => saved(filesBefore));
  },
);

/** Three files, each with the same mistake. */
const THREE = Object.fromEntries(["cart.py", "order.py", "stock.py"].map((path) => [path, CART]));
const repairs = answer({}, ...Object.keys(THREE).map((path) => block(path, BUG, REPAIR)));

async function showAll({ window }: Stage): Promise<Locator> {
  await window.openFile("cart.py", 4);
  await window.act("Ensemble: refactor…");
  await window.answer("add up in every file");
  await window.tab("cart.py (proposal)").waitFor();
  await row(window, "stock.py").waitFor();
  await window.command("Ensemble: Show All Files of the Proposal");
  await window.page.locator(".multiDiffEntry").nth(2).waitFor();
  return window.page.locator(".editor-group-container.active .editor-actions");
}

scenario(
  "all files below each other are accepted by the button of their title",
  { files: THREE, says: repairs },
  async (stage) => {
    const { window, picture, read } = stage;
    const buttons = await showAll(stage);
    await row(window, "order.py").locator(".monaco-custom-toggle").click();
    await picture("proposal-all");
    await buttons.getByRole("button", { name: "Accept All Ticked Changes" }).click();
    await row(window, "stock.py").waitFor({ state: "detached" });
    await until("what was ticked is written", async () => {
      await window.command("File: Save All Files");
      return isOnDisk(read, {
        ...THREE,
        "cart.py": CART.replace(BUG, REPAIR),
        "stock.py": CART.replace(BUG, REPAIR),
      });
    });
    expect(await row(window, "order.py").count(), "what was left out waits").toBe(1);
  },
);

scenario(
  "all files below each other are rejected by the button of their title, and their view closes",
  { files: THREE, says: repairs },
  async (stage) => {
    const { window, read } = stage;
    const buttons = await showAll(stage);
    await buttons.getByRole("button", { name: "Reject Proposal" }).click();
    await row(window, "stock.py").waitFor({ state: "detached" });
    await window.page.locator(".multiDiffEntry").first().waitFor({ state: "detached" });
    expect(isOnDisk(read, THREE)).toBe(true);
    await buttons.getByRole("button", { name: "Reject Proposal" }).waitFor({ state: "detached" });
  },
);
