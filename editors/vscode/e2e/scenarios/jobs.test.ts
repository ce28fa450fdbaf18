import { expect } from "vitest";
import { until } from "../support/condition.js";
import { type Script, block } from "../support/panel.js";
import { BUG, CART, REPAIR, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const EXPLAINS: Script = {
  "*": [
    {
      contains: "explain this code",
      text: JSON.stringify({
        claims: [{ kind: "purpose", text: "Sums the prices of a cart.", line: 1, symbol: "total" }],
      }),
    },
  ],
};

const HANGS: Script = { "*": [{ text: block("cart.py", BUG, REPAIR), hang: "within" }] };

async function startFix(window: Window): Promise<void> {
  await window.openFile("cart.py", 4, 9);
  await window.act("Ensemble: fix…");
  await window.answer("the sum is wrong");
}

const jobs = (window: Window, text: string | RegExp) => window.tree("Jobs").filter({ hasText: text }).first();

scenario(
  "explain opens its document; the job is listed with its cost, runs again, and shows its transcript",
  { files: { "cart.py": CART }, says: EXPLAINS },
  async ({ window, picture, panel }) => {
    await window.openFile("cart.py", 1, 5);
    await window.act("Ensemble: explain");
    const explanation = await window.webview("h1:has-text('What total does')");
    await explanation.getByText("Sums the prices of a cart").waitFor();
    await picture("explain");

    await window.command("Ensemble: Focus on Jobs View");
    const done = jobs(window, /Explain · cart\.py.*Done · \$0\.\d+/);
    await done.waitFor();
    await window.status(/Ensemble \$0\.\d+ \/ \$5\.00/).waitFor();
    await picture("jobs");

    const before = panel.asked().length;
    await done.hover();
    await done.locator(".action-label.codicon-debug-restart").click();
    await until("the members are asked again", () => panel.asked().length > before);
    await window.tree("Jobs").filter({ hasText: /Done/ }).nth(1).waitFor();

    await jobs(window, /Done/).hover();
    await jobs(window, /Done/).locator(".action-label.codicon-output").click();
    const transcript = await window.webview("h1:has-text('cart.py'), h1:has-text('xplain')");
    await transcript.getByText("alpha").first().waitFor();
    await picture("transcript");
  },
);

scenario(
  "who wants the Markdown of what the panel wrote gets its source",
  { files: { "cart.py": CART }, says: EXPLAINS, settings: { "ensemble.documents.open": "source" } },
  async ({ window, picture }) => {
    await window.openFile("cart.py", 1, 5);
    await window.act("Ensemble: explain");
    await until("the source is in front", async () => (await window.shown()).includes("# What total does"));
    expect(await window.shown()).toContain("Sums the prices of a cart");
    await window.type("x");
    expect(await window.shown(), "it is read-only").not.toContain("x#");
    await window.status("Markdown").waitFor();
    await picture("explain-source");
  },
);

scenario(
  "a job that hangs is seen in the live view and cancelled there",
  { files: { "cart.py": CART }, says: HANGS, settings: { "ensemble.live.open": "always" } },
  async ({ window, panel, read }) => {
    await startFix(window);
    const live = await window.webview(".lane");
    await live.locator(".stream pre:not(:empty)").first().waitFor();
    await live.getByRole("button", { name: "Cancel" }).click();
    await live.locator('.verdict[data-status="cancelled"]').waitFor();
    await until("the calls in flight are aborted", () => panel.asked().some((each) => each.disconnected));
    expect(read("cart.py")).toBe(CART);
    await window.command("Ensemble: Focus on Jobs View");
    await jobs(window, /Cancelled/).waitFor();
  },
);

scenario(
  "answer now: one member is heard, the other hangs, the panel decides with what is there",
  {
    files: { "cart.py": CART },
    says: {
      alpha: [{ text: block("cart.py", BUG, REPAIR) }],
      beta: [{ text: block("cart.py", BUG, REPAIR), hang: "within" }],
    },
    settings: { "ensemble.live.open": "always" },
  },
  async ({ window }) => {
    await startFix(window);
    const live = await window.webview(".lane");
    await live.locator('.lane[data-state="answered"]').first().waitFor();
    await live.getByRole("button", { name: "Answer now" }).click();
    await window.tab("cart.py (proposal)").waitFor();
    // The diff stands on the code's side: the live view is still to be seen.
    await live.getByRole("button", { name: "Review the change" }).waitFor();
    expect(await live.locator('.lane[data-state="cancelled"] h2').allTextContents()).toEqual(["beta"]);
  },
);

scenario(
  "a killed engine ends its job with a message, and the next job starts a new one",
  {
    files: { "cart.py": CART },
    says: { "*": [...(EXPLAINS["*"] ?? []), ...(HANGS["*"] ?? [])] },
    settings: { "ensemble.live.open": "always" },
  },
  async ({ window, processes }) => {
    await startFix(window);
    const live = await window.webview(".lane");
    await live.locator(".stream pre:not(:empty)").first().waitFor();
    const [engine] = processes("ensemble_lsp.engine");
    if (engine === undefined) throw new Error("no engine runs");
    process.kill(engine, "SIGKILL");
    await live.locator('.verdict[data-status="failed"]').getByText("the engine process ended").waitFor();
    expect(await window.told("the engine process ended")).toContain("Start the job again");

    await window.openFile("cart.py", 1, 5);
    await window.act("Ensemble: explain");
    const explanation = await window.webview("h1:has-text('What total does')");
    await explanation.getByText("Sums the prices of a cart").waitFor();
  },
);

scenario(
  "a job that would pass the budget sends nothing and says so",
  {
    files: { "cart.py": CART },
    says: { "*": [{ text: block("cart.py", BUG, REPAIR) }] },
    settings: { "ensemble.budget.usd": 0.000001 },
  },
  async ({ window, panel, picture }) => {
    await startFix(window);
    expect(await window.told(/cap/)).toContain("fix");
    await picture("budget");
    await window.command("Ensemble: Focus on Jobs View");
    await jobs(window, /Budget used up/).waitFor();
    expect(panel.asked()).toEqual([]);
  },
);
