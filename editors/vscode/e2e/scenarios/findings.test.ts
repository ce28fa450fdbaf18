import { expect } from "vitest";
import { type Panel, findings } from "../support/panel.js";
import { CART, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const TITLE = "The loop overwrites the sum";

const FOUND = findings({
  path: "cart.py",
  line: 4,
  quote: "        result = price",
  title: TITLE,
  detail: "total([1, 2]) gives 2",
});

const SAYS = { "*": [{ contains: "review this code", text: FOUND }] };

const shown = (window: Window) => window.tree("Findings").filter({ hasText: TITLE }).first();

async function review(window: Window): Promise<void> {
  await window.openFile("cart.py", 4, 9);
  await window.command("Ensemble: Review File");
}

scenario(
  "a review shows findings; a hover says why; a dismissed one stays away, also after a reload",
  { files: { "cart.py": CART }, says: SAYS },
  async ({ window, picture }) => {
    await review(window);
    await window.command("Ensemble: Focus on Findings View");
    await shown(window).waitFor();
    await picture("findings");

    await window.openFile("cart.py", 4, 9);
    await window.press("Control+k", "Control+i");
    const hover = window.page.locator(".monaco-hover").filter({ hasText: "total([1, 2]) gives 2" }).first();
    await hover.waitFor();
    expect(await hover.textContent()).toContain("2 of 2 families");
    await picture("hover");
    await window.press("Escape");

    await window.act("Ensemble: dismiss this finding");
    await window.pick("It will not be fixed");
    await shown(window).waitFor({ state: "detached" });

    await window.reload();
    await review(window);
    await window.command("Ensemble: Focus on Jobs View");
    const jobs = window.tree("Jobs").filter({ hasText: /Review · cart\.py/ });
    await jobs.nth(1).waitFor();
    await jobs.filter({ hasText: "Running" }).waitFor({ state: "detached" });
    expect(await shown(window).count()).toBe(0);
  },
);

const FAILING = [
  "from cart import total",
  "",
  "",
  "def test_prices_are_added():",
  "    assert total([1, 2]) == 3",
  "",
].join("\n");

scenario(
  "a review shows the line that a failing test points to, though no member says anything of it",
  {
    files: { "cart.py": CART, "test_cart.py": FAILING },
    says: { "*": [{ contains: "review this code", text: JSON.stringify({ findings: [] }) }] },
  },
  async ({ window, picture }) => {
    await review(window);
    await window.command("Ensemble: Focus on Findings View");
    const finding = window.tree("Findings").filter({ hasText: "test_prices_are_added fails" }).first();
    await finding.waitFor();
    await finding.click();
    await window.openFile("cart.py", 4, 9);
    await window.press("Control+k", "Control+i");
    const hover = window.page.locator(".monaco-hover").filter({ hasText: "= became +=" }).first();
    await hover.waitFor();
    await picture("failing-test");
  },
);

scenario(
  "findings are grouped by confidence, verified ones alone on demand, and dismissed from the view",
  { files: { "cart.py": CART }, says: SAYS },
  async ({ window, picture }) => {
    await review(window);
    await window.command("Ensemble: Focus on Findings View");
    await shown(window).waitFor();
    await window.command("Ensemble: Group Findings by Confidence");
    // How sure the panel is of it is for its calibration to say.
    await window
      .tree("Findings")
      .filter({ hasText: /(?:Low|Medium|High) confidence/ })
      .waitFor();
    await picture("findings-by-confidence");
    await window.command("Ensemble: Show Verified Findings Only");
    await shown(window).waitFor({ state: "detached" });
    await window.page.getByText("1 finding is not shown: nothing verified it.").waitFor();
    await window.command("Ensemble: Show All Findings");
    await shown(window).hover();
    await shown(window).locator(".action-label.codicon-close").click();
    await window.pick("It is wrong");
    await shown(window).waitFor({ state: "detached" });
  },
);

scenario(
  "a review of staged changes finds what is staged, from the source control view",
  { files: { "cart.py": CART.replace("result = price", "result += price") }, says: SAYS, git: true },
  async ({ window, write, git, panel }) => {
    write("cart.py", CART);
    git("add", "cart.py");
    // What is not staged is not reviewed.
    write("notes.py", "SECRET_PLAN = 1\n");
    await window.command("Ensemble: Review Staged Changes");
    await window.command("Ensemble: Focus on Findings View");
    await shown(window).waitFor();
    await shown(window).click();
    await window.tab("cart.py").waitFor();
    const asked = panel.asked().map((each) => each.prompt);
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.join("\n")).toContain("result = price");
    expect(asked.join("\n")).not.toContain("SECRET_PLAN");
  },
);

async function openSourceControl(window: Window): Promise<void> {
  // Not by the mouse: its tooltip would lie over the rows.
  await window.press("Control+Shift+g");
  await window.page.locator(".scm-view .monaco-list-row").filter({ hasText: "cart.py" }).first().waitFor();
}

/** The prompts that the panel was asked since, once a review ended with the finding. */
async function reviewed(window: Window, panel: Panel): Promise<string> {
  await window.command("Ensemble: Focus on Findings View");
  await shown(window).waitFor();
  const prompts = panel.asked().map((each) => each.prompt);
  expect(prompts.length).toBeGreaterThan(0);
  return prompts.join("\n");
}

const REPAIRED = CART.replace("result = price", "result += price");

scenario(
  "the button in the title of the source control view reviews what changed",
  { files: { "cart.py": REPAIRED }, says: SAYS, git: true },
  async ({ window, write, panel, picture }) => {
    write("cart.py", CART);
    await openSourceControl(window);
    const title = window.page
      .locator(".pane-header")
      .filter({ hasText: /^Changes/ })
      .first();
    await title.hover();
    await picture("source-control");
    await title.getByRole("button", { name: "Review Changes" }).click();
    expect(await reviewed(window, panel)).toContain("result = price");
  },
);

scenario(
  "the button beside the staged changes reviews those alone",
  { files: { "cart.py": REPAIRED }, says: SAYS, git: true },
  async ({ window, write, git, panel, picture }) => {
    write("cart.py", CART);
    git("add", "cart.py");
    write("notes.py", "SECRET_PLAN = 1\n");
    await openSourceControl(window);
    const group = window.page
      .locator(".scm-view .monaco-list-row")
      .filter({ hasText: "Staged Changes" })
      .first();
    await group.hover();
    await picture("source-control-staged");
    await group.getByRole("button", { name: "Review Staged Changes" }).click();
    const asked = await reviewed(window, panel);
    expect(asked).toContain("result = price");
    expect(asked).not.toContain("SECRET_PLAN");
  },
);
