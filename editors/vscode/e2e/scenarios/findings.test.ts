import { expect } from "vitest";
import { findings } from "../support/panel.js";
import { CART, scenario } from "../support/stage.js";

const FOUND = findings({
  path: "cart.py",
  line: 4,
  quote: "        result = price",
  title: "The loop overwrites the sum",
  detail: "total([1, 2]) gives 2",
});

const SAYS = { "*": [{ contains: "review this code", text: FOUND }] };

scenario(
  "a review shows findings; a hover says why; a dismissed one stays away, also after a reload",
  { files: { "cart.py": CART }, says: SAYS },
  async ({ window, picture, panel }) => {
    await window.openFile("cart.py", 4, 9);
    await window.command("Ensemble: Review File");
    await window.command("Ensemble: Focus on Findings View");
    const found = window.tree("Findings").filter({ hasText: "The loop overwrites the sum" });
    await found.first().waitFor();
    await picture("findings");
    expect(panel.asked().length).toBeGreaterThanOrEqual(2);
    await window.openFile("cart.py", 4, 9);
    await window.press("Control+k", "Control+i");
    const hover = window.page.locator(".monaco-hover").filter({ hasText: "total([1, 2]) gives 2" }).first();
    await hover.waitFor();
    await picture("hover");
    await window.press("Escape");
    await window.act("Ensemble: dismiss this finding");
    await window.pick("It will not be fixed");
    await found.first().waitFor({ state: "detached" });
  },
);
