import { expect } from "vitest";
import { until } from "../support/condition.js";
import { block } from "../support/panel.js";
import { BUG, CART, REPAIR, scenario } from "../support/stage.js";

const SAYS = { "*": [{ text: block("cart.py", BUG, REPAIR) }] };

scenario(
  "actions are offered where they make sense, and instructions are remembered",
  { files: { "cart.py": CART, "notes.bin": "\u0000" }, says: SAYS },
  async ({ window, panel, picture }) => {
    expect(await window.offers("Ensemble: Explain"), "there is nothing to explain yet").toBe(false);
    await window.openFile("cart.py", 4);
    await window.codeActions("Ensemble: explain");
    await window.press("Escape");
    expect(await window.offers("Ensemble: Explain")).toBe(true);
    expect(await window.offers("Ensemble: Accept This Change"), "no proposal waits").toBe(false);

    await window.press("Control+k", "Alt+f");
    await window.answer("the sum is wrong");
    await window.tab("cart.py (proposal)").waitFor();
    expect(panel.asked()[0]?.prompt).toContain("the sum is wrong");
    await window.command("Ensemble: Reject Proposal");
    await window.tab("cart.py (proposal)").waitFor({ state: "detached" });

    await window.openFile("cart.py", 4);
    await window.press("Control+k", "Alt+f");
    await until("it is offered again", async () => (await window.picks()).includes("the sum is wrong"));
    await picture("instruction");
    await window.press("Escape");
  },
);

scenario(
  "the editor's context menu has our actions in a menu of their own",
  { files: { "cart.py": CART }, says: SAYS },
  async ({ window, picture }) => {
    await window.openFile("cart.py", 4);
    await window.codeActions("Ensemble: explain");
    await window.press("Escape");
    await window.page.locator(".view-line").filter({ hasText: "price" }).first().click({ button: "right" });
    const menu = window.page.locator(".monaco-menu-container");
    await menu.getByText("Ensemble", { exact: true }).hover();
    await menu.getByText("Ask the Panel…").waitFor();
    await picture("context-menu");
  },
);

scenario(
  "a fix of somebody else's diagnostic names it to the panel",
  {
    files: { "broken.json": '{"a": 1,}\n' },
    says: { "*": [{ text: block("broken.json", '{"a": 1,}\n', '{"a": 1}\n') }] },
  },
  async ({ window, panel, read }) => {
    await window.openFile("broken.json", 1, 9);
    await window.act('Ensemble: fix "Trailing comma"');
    await window.tab("broken.json (proposal)").waitFor();
    expect(panel.asked()[0]?.prompt).toContain("Trailing comma");
    // What stands behind the change is shown once the diff is there and has the keys.
    await window.page.getByText("alpha, beta").last().waitFor();
    await window.press("Control+Shift+Enter");
    await window.tab("broken.json (proposal)").waitFor({ state: "detached" });
    await window.save();
    expect(read("broken.json")).toBe('{"a": 1}\n');
  },
);

const KEYS = [
  ["ctrl+k alt+f", "ensemble.ui.fix"],
  ["ctrl+k alt+r", "ensemble.ui.review"],
  ["ctrl+k alt+c", "ensemble.ui.reviewChanges"],
  ["ctrl+k alt+e", "ensemble.ui.explain"],
  ["ctrl+k alt+a", "ensemble.ui.debate"],
  ["ctrl+k alt+p", "ensemble.ui.openProposal"],
] as const;

scenario("our keys are none of the editor's own", { files: { "cart.py": CART } }, async ({ window }) => {
  await window.command("Preferences: Open Default Keyboard Shortcuts (JSON)");
  await window.tab("Default Keybindings").waitFor();
  await window.press("Control+f");
  const find = window.page.locator(".find-widget.visible");
  for (const [key, command] of KEYS) {
    await find.locator("textarea").first().fill(`"key": "${key}"`);
    await find.locator(".matchesCount").filter({ hasText: "of 1" }).waitFor();
    await window.press("Enter");
    await until(`${key} is there once, for ${command}`, async () => {
      const count = await find.locator(".matchesCount").innerText();
      return count.trim() === "1 of 1" && (await window.shown()).includes(`"${command}"`);
    });
  }
});
