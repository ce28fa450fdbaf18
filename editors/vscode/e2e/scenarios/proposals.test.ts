import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { until } from "../support/condition.js";
import { type Script, block } from "../support/panel.js";
import { BUG, REPAIR, type Stage, scenario } from "../support/stage.js";
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

const fixes = (before = "", after = ""): Script => ({
  "*": [
    {
      text: `The loop forgets the sum.\n\n${block("cart.py", BUG, REPAIR)}\n${block("cart.py", MEAN, MEAN_REPAIRED)}\n${before && block("cart.py", before, after)}`,
    },
  ],
});

/** Ask for a fix and wait for its diff. */
async function propose(window: Window): Promise<void> {
  await window.openFile("cart.py", 4);
  await window.act("Ensemble: fix…");
  await window.answer("the sum is wrong");
  await window.tab("cart.py (proposal)").waitFor();
  await hunk(window, "Line 4").waitFor();
}

function hunk(window: Window, title: string): Locator {
  return window.tree("Proposal").filter({ hasText: title }).first();
}

async function isTicked(row: Locator): Promise<boolean> {
  return (await row.locator(".monaco-custom-toggle").getAttribute("aria-checked")) === "true";
}

/** The text of a file as the editor has it. */
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
    await until("the hunk at the cursor is out", async () => !(await isTicked(hunk(window, "Line 4"))));
    await until(
      "the diff follows the ticks",
      async () => !(await window.shown()).includes("result += price"),
    );
    expect(await isTicked(hunk(window, "Line 12"))).toBe(true);

    await window.press("Control+Shift+Enter");
    await hunk(window, "Line 12").waitFor({ state: "detached" });
    await window.press("Control+Tab");
    expect(await text(stage)).toBe(TWO.replace(MEAN, MEAN_REPAIRED));
    expect(await hunk(window, "Line 4").count(), "what was left out waits").toBe(1);

    await window.press("Control+z");
    expect(await text(stage), "one undo takes one accept back").toBe(TWO);
    await hunk(window, "Line 12").waitFor();
    await picture("proposal-undone");
  },
);
