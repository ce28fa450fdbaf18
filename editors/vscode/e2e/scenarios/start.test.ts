import { chmodSync, existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { until } from "../support/condition.js";
import { virtualEnvironment } from "../support/paths.js";
import { block } from "../support/panel.js";
import { BUG, CART, REPAIR, scenario } from "../support/stage.js";
import type { Window } from "../support/window.js";

const elsewhere = mkdtempSync(join(tmpdir(), "ensemble-programs-"));
const later = join(elsewhere, "ensemble-lsp");

scenario(
  "no server found: the message says where it was looked for, and Retry finds one that came",
  { files: { "cart.py": CART }, server: later, environment: {} },
  async ({ window, picture }) => {
    await window.openFile("cart.py");
    const message = await window.notice("no ensemble-lsp was found");
    expect(await message.innerText()).toContain(later);
    await picture("no-server");
    expect(await window.offers("Ensemble: Explain"), "nothing is offered that cannot work").toBe(false);
    symlinkSync(join(virtualEnvironment, "ensemble-lsp"), later);
    await window.choose("no ensemble-lsp was found", "Retry");
    await window.codeActions("Ensemble: review");
  },
);

const broken = join(elsewhere, "broken");
writeFileSync(
  broken,
  `#!/bin/sh\necho started >> '${elsewhere}/starts'\necho 'no room on this machine' >&2\nexit 3\n`,
);
chmodSync(broken, 0o755);

scenario(
  "a server that keeps ending is tried four times, then its last words are shown",
  { files: { "cart.py": CART }, server: broken },
  async ({ window, picture }) => {
    await window.openFile("cart.py");
    await window.notice("no room on this machine");
    await picture("server-fails");
    await window.choose("no room on this machine", "Show Log");
    await window.page.locator(".panel .output-view-container, .panel .output-view").first().waitFor();
    expect(readFileSync(join(elsewhere, "starts"), "utf8")).toBe("started\n".repeat(4));
  },
);

scenario(
  "the doctor says what runs and what is missing",
  { files: { "cart.py": CART }, says: {}, git: true },
  async ({ window, folder, picture }) => {
    await window.openFile("cart.py");
    await window.codeActions("Ensemble: review");
    await window.press("Escape");
    await window.command("Ensemble: Doctor");
    await until("the report is there", async () => (await window.shown()).includes("server: running"));
    await picture("doctor");
    const said = await window.shown();
    expect(said).toContain("(found by setting)");
    expect(said, "whom the editor's settings seat").toContain("member alpha");
    expect(said.replaceAll("\n", ""), "the open folder's settings").toContain(`${folder}/ensemble.toml`);
  },
);

/** Write down how a program was started, then be the server; `$@` is what it was given but for `given` arguments. */
const recorded = (record: string, launcher: string, given = 0): string =>
  `{ pwd; printf '%s\\n' "$@"; } > '${record}'\nshift ${String(given)}\nexec '${launcher}' "$@"`;

/** Ask the doctor; the whole report. */
async function report(window: Window): Promise<string> {
  await window.command("Ensemble: Doctor");
  await until("the report is there", async () => (await window.shown()).includes("server: running"));
  return await window.shown();
}

const uvxRecord = join(elsewhere, "uvx.txt");

scenario(
  "without a server on the machine uvx fetches the one of this version, outside the workspace",
  {
    files: {
      "cart.py": CART,
      "uv.toml": "[pip]\n",
      "ensemble_lsp/__init__.py": "raise SystemExit('planted')\n",
    },
    says: {},
    server: "",
    programs: (launcher) => ({ uvx: recorded(uvxRecord, launcher, 2) }),
  },
  async ({ window, folder }) => {
    await window.openFile("cart.py", 4);
    await window.codeActions("Ensemble: explain");
    await window.press("Escape");
    const [directory, ...given] = readFileSync(uvxRecord, "utf8").trim().split("\n");
    expect(given).toEqual(["--no-config", `ensemble-lsp==${manifest.version}`, "serve"]);
    expect(directory).toContain("ensemble-lsp.ensemble-lsp");
    expect(relative(folder, directory ?? folder).startsWith(".."), "outside the workspace").toBe(true);
    expect(await report(window)).toContain("(found by uvx)");
  },
);

const pythonRecord = join(elsewhere, "python.txt");

scenario(
  "a server in the environment that the Python extension chose comes before one on PATH",
  {
    files: { "cart.py": CART },
    says: {},
    server: "",
    settingsIn: (home) => ({ "python.defaultInterpreterPath": join(home, "venv", "bin", "python") }),
    programs: (launcher, home) => ({
      [join(home, "venv", "bin", "ensemble-lsp")]: recorded(pythonRecord, launcher),
      "ensemble-lsp": "exit 3",
    }),
  },
  async ({ window, home }) => {
    await window.openFile("cart.py", 4);
    await window.codeActions("Ensemble: explain");
    await window.press("Escape");
    expect(readFileSync(pythonRecord, "utf8").trim().split("\n").slice(1)).toEqual(["serve"]);
    const said = await report(window);
    expect(said).toContain("(found by environment)");
    expect(said).toContain(join(home, "venv", "bin", "ensemble-lsp"));
  },
);

scenario(
  "in an untrusted folder the Python extension's environment is not looked at: the server on PATH starts",
  {
    files: { "cart.py": CART },
    says: {},
    server: "",
    untrusted: true,
    settingsIn: (home) => ({ "python.defaultInterpreterPath": join(home, "shop", "venv", "bin", "python") }),
    programs: (launcher, home) => ({
      [join(home, "shop", "venv", "bin", "ensemble-lsp")]: `touch '${join(elsewhere, "planted")}'; exit 3`,
      "ensemble-lsp": `exec '${launcher}' "$@"`,
    }),
  },
  async ({ window }) => {
    await window.status("Restricted Mode").waitFor();
    await window.openFile("cart.py", 4);
    await window.codeActions("Ensemble: explain");
    await window.press("Escape");
    expect(await report(window)).toContain("(found by path)");
    expect(existsSync(join(elsewhere, "planted"))).toBe(false);
  },
);

const marker = join(elsewhere, "ran");
const EVIL = {
  "ensemble.panel": ["openai/evil"],
  "ensemble.server.path": join(elsewhere, "evil"),
  "ensemble.checks": [{ id: "evil", command: `touch ${marker}` }],
  "ensemble.check": "evil",
};

scenario(
  "an untrusted folder: the person's own panel explains, nothing the folder says counts, nothing of it runs",
  {
    files: {
      "cart.py": CART,
      "ensemble.toml": `check = "evil"\npanel = ["openai/evil"]\n[[checks]]\nid = "evil"\ncommand = "touch ${marker}"\n`,
      ".vscode/settings.json": JSON.stringify(EVIL),
      "test_cart.py": `open(${JSON.stringify(marker)}, "w")\n`,
    },
    says: {
      "*": [
        {
          text: JSON.stringify({
            claims: [{ kind: "purpose", text: "It keeps only the last price.", line: 4, symbol: "total" }],
          }),
        },
      ],
    },
    untrusted: true,
  },
  async ({ window, panel, picture }) => {
    await window.status("Restricted Mode").waitFor();
    await window.openFile("cart.py", 4);
    await window.command("Ensemble: Explain");
    await until("the person's own panel was asked", () => panel.asked().length > 0);
    await window.status(/Ensemble \$0\.00\d/).waitFor();
    const explanation = await window.webview("h1:has-text('What total does')");
    await explanation.getByText("It keeps only the last price").waitFor();
    await picture("untrusted");
    expect(panel.asked().filter(({ model }) => !["alpha", "beta"].includes(model))).toEqual([]);
    expect(existsSync(marker)).toBe(false);
  },
);

const PASSES = /the check passes/;

scenario(
  "trust that is granted counts at once: the folder's tests run for the next fix",
  {
    files: {
      "cart.py": CART,
      "test_cart.py": "from cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
    },
    says: { "*": [{ text: block("cart.py", BUG, REPAIR) }] },
    untrusted: true,
  },
  async ({ window, picture }) => {
    const proposal = window.tree("Proposal").filter({ hasText: "families" }).first();
    await window.status("Restricted Mode").waitFor();
    await window.openFile("cart.py", 4);
    await window.act("Ensemble: fix…");
    await window.answer("the sum is wrong");
    await window.tab("cart.py (proposal)").waitFor();
    await proposal.waitFor();
    expect(await proposal.innerText()).not.toMatch(PASSES);
    await window.command("Ensemble: Reject Proposal");
    await proposal.waitFor({ state: "detached" });

    await window.command("Workspaces: Manage Workspace Trust");
    await window.page
      .locator(".workspace-trust-editor")
      .getByRole("button", { name: "Trust", exact: true })
      .click();
    const granted = window.page.getByText("You trust this folder").first();
    await granted.waitFor();
    // A dialog over the editors: with it open no file comes to the front.
    await window.page.locator(".modal-editor-action-container .codicon-close").first().click();
    await granted.waitFor({ state: "detached" });
    await window.status("Restricted Mode").waitFor({ state: "detached" });

    await window.openFile("cart.py", 4);
    await window.act("Ensemble: fix…");
    await window.answer("the sum is wrong");
    await proposal.filter({ hasText: PASSES }).waitFor();
    await picture("trusted");
  },
);
