import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { until } from "../support/condition.js";
import { CART, everything, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const seat = (window: Window, text: string | RegExp) =>
  window.tree("Panel").filter({ hasText: text }).first();

const KEY = "sk-e2e-0123456789abcdef";

scenario(
  "the panel says who sits and what a key is missing for; a key goes to the server as a variable and nowhere else",
  {
    files: { "cart.py": CART },
    says: { "*": [] },
    settings: {
      "ensemble.panel": [
        {
          id: "house",
          model: "openai/house",
          apiBase: "http://127.0.0.1:9/v1",
          family: "house",
          priceIn: 1,
          priceOut: 2,
        },
        { id: "hosted", model: "openai/hosted", apiKeyEnv: "HOSTED_API_KEY", family: "hosted" },
      ],
    },
  },
  async ({ window, picture, processes, home }) => {
    await window.command("Ensemble: Focus on Panel View");
    await seat(window, "house").waitFor();
    await seat(window, "HOSTED_API_KEY is not set").waitFor();
    await seat(window, "house").locator(".monaco-tl-twistie").click();
    await seat(window, "Code goes to").waitFor();
    await picture("panel");

    const variable = (): boolean =>
      processes("serve").some((each) => readFileSync(`/proc/${each}/environ`, "utf8").includes(KEY));
    expect(variable()).toBe(false);
    await window.command("Ensemble: Add a Provider's Key…");
    await window.pick("HOSTED_API_KEY");
    await window.answer(KEY);
    await until("the server runs with the key", variable);
    await seat(window, "house").locator(".monaco-tl-twistie").click();
    await seat(window, "hosted · price not known").waitFor();
    await window.page
      .getByText(/HOSTED_API_KEY is not set/)
      .first()
      .waitFor({ state: "detached" });
    expect(everything(home)).not.toContain(KEY);

    await window.command("Ensemble: Use Local Models Only");
    await seat(window, "hosted is left out: it is not on this machine").waitFor();
    await window.command("Ensemble: Use All Models Again");
    await seat(window, "hosted · price not known").waitFor();

    await window.command("Ensemble: Remove a Provider's Key…");
    await window.pick("HOSTED_API_KEY");
    await until("the server runs without the key", () => processes("serve").length > 0 && !variable());
  },
);
