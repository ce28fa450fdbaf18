import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { until } from "../support/condition.js";
import { CART, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const BETTER = "Add all prices up\n\nOnly the last price counted.";

const SAYS = {
  "*": [
    { contains: "Compare each", text: "NO FAULT: A\nBEST: A" },
    { contains: "commit", text: `\`\`\`\n${BETTER}\n\`\`\`` },
  ],
};

const PROPOSAL = "Commit message (proposal)";

const REPAIRED = CART.replace("result = price", "result += price");

/** The rows of the source control view, of one repository where there are several. */
async function sourceControl(window: Window, file: string): Promise<void> {
  // Not by the mouse: its tooltip would lie over the rows.
  await window.press("Control+Shift+g");
  await window.page.locator(".scm-view .monaco-list-row").filter({ hasText: file }).first().waitFor();
}

const boxes = (window: Window): Locator => window.page.locator(".scm-view .scm-input .monaco-editor");

/** What a box for a message says, its lines joined. */
async function said(box: Locator): Promise<string> {
  const lines = await box.locator(".view-line").allTextContents();
  return lines.map((line) => line.replaceAll("\u00a0", " ")).join("\n");
}

scenario(
  "a commit message is rewritten in its box, from what is staged; accepting it commits nothing",
  { files: { "cart.py": CART }, says: SAYS, git: true },
  async ({ window, write, git, panel, picture }) => {
    write("cart.py", REPAIRED);
    git("add", "cart.py");
    write("notes.py", "SECRET_PLAN = 1\n");
    await sourceControl(window, "notes.py");
    const box = boxes(window).first();
    await box.click();
    await window.type("fixd sum");
    const title = window.page
      .locator(".pane-header")
      .filter({ hasText: /^Changes/ })
      .first();
    await title.hover();
    await title.getByRole("button", { name: "Rewrite Commit Message" }).click();

    await window.tab(PROPOSAL).waitFor();
    await window.page.getByText("Only the last price counted.").first().waitFor();
    await picture("commit-message");
    const asked = panel.asked().map((each) => each.prompt);
    expect(asked.join("\n")).toContain("+        result += price");
    expect(asked.join("\n")).toContain("fixd sum");
    expect(asked.join("\n")).not.toContain("SECRET_PLAN");
    await sourceControl(window, "notes.py");
    expect(await said(box)).toBe("fixd sum");

    await window.command("Ensemble: Accept All Ticked Changes");
    await until("the box has the message", async () => (await said(box)) === BETTER);
    await window.tab(PROPOSAL).waitFor({ state: "detached" });
    expect(git("log", "--format=%s")).toBe("Begin\n");
    await picture("commit-message-accepted");

    await box.click();
    await window.press("Control+z");
    await until("one undo brings the old one back", async () => (await said(box)) === "fixd sum");
  },
);

scenario(
  "of two repositories the one whose button was pressed gets its first message, from what changed there",
  { files: { "cart.py": CART, "billing/tax.py": "RATE = 19\n" }, says: SAYS },
  async ({ window, write, git, panel, picture }) => {
    for (const folder of [".", "billing"]) {
      git("-C", folder, "init", "--quiet");
      git("-C", folder, "add", ".");
      git("-C", folder, "commit", "--quiet", "--message", "Begin");
    }
    write("cart.py", REPAIRED);
    write("billing/tax.py", "RATE = 7\n");
    await window.reload();
    await sourceControl(window, "tax.py");
    const row = window.page
      .locator(".scm-view .monaco-list-row")
      .filter({ has: window.page.locator(".scm-provider") })
      .filter({ hasText: "billing" })
      .first();
    await row.hover();
    await picture("commit-message-two");
    await row.getByRole("button", { name: "Rewrite Commit Message" }).click();

    await window.tab(PROPOSAL).waitFor();
    await window.command("Ensemble: Accept All Ticked Changes");
    const texts = async (): Promise<string[]> =>
      await Promise.all((await boxes(window).all()).map((box) => said(box)));
    await until(
      "one box has the message, and only one",
      async () => (await texts()).sort().join("|") === `|${BETTER}`,
    );
    await picture("commit-message-two-accepted");
    const asked = panel.asked().map((each) => each.prompt);
    expect(asked.join("\n")).toContain("+RATE = 7");
    expect(asked.join("\n")).not.toContain("result += price");
  },
);
