/** Figures of the extension in a real window: printed, never asserted. `npx vitest run --config e2e/figures.config.ts` */
import { statSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/condition.js";
import { filesBefore, renaming } from "../support/forty.js";
import { output } from "../support/paths.js";
import { CART, scenario } from "../support/stage.js";

const print = (name: string, value: string): void => {
  process.stdout.write(`${name}: ${value}\n`);
};

scenario("activation", { files: { "cart.py": CART }, says: {} }, async ({ window, picture }) => {
  print("package", `${String(Math.round(statSync(join(output, "ensemble.vsix")).size / 1024))} KB`);
  await window.openFile("cart.py");
  await window.codeActions("Ensemble: review");
  await window.press("Escape");
  await window.command("Developer: Show Running Extensions");
  const row = window.page
    .locator(".runtime-extensions-editor .monaco-list-row")
    .filter({ hasText: "Ensemble" });
  await row.first().waitFor();
  print("activation", (await row.first().innerText()).replaceAll(/\s+/g, " "));
  await picture("activation");
});

scenario(
  "a proposal of forty files",
  { files: filesBefore, says: { "*": [{ text: renaming }] }, settings: { "ensemble.review.open": "never" } },
  async ({ window }) => {
    await window.openFile("prices.py", 1, 6);
    await window.act("Ensemble: refactor…");
    await window.answer("rename total to sum_of_prices everywhere");
    await window.page.locator(".action-item[aria-label*='1 proposal']").waitFor();
    for (const [title, shown] of [
      ["Ensemble: Show Proposal", ".monaco-diff-editor .char-insert"],
      ["Ensemble: Show All Files of the Proposal", ".multiDiffEntry .char-insert"],
    ] as const) {
      await window.press("F1");
      await window.quickInput.locator("input.input").first().fill(`>${title}`);
      const wanted = window.quickInput.locator(`.monaco-list-row[aria-label^="${title}"]`).first();
      await until("the command is the one in focus", async () => {
        if ((await wanted.getAttribute("class"))?.includes("focused")) return true;
        await window.press("ArrowDown");
        return false;
      });
      const start = Date.now();
      await window.press("Enter");
      await until("the change is on the screen", async () => (await window.page.locator(shown).count()) > 0);
      print(title, `${String(Date.now() - start)} ms`);
    }
  },
);
