import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import { until } from "../support/condition.js";
import { about, asked, file, start } from "./editor.js";

/** The first two lines, as the server takes a range. */
const WHOLE = { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } };

/** Explain a function and return what the models were asked, once as many as expected answered. */
async function explained(name: string, members: number): Promise<ReturnType<typeof asked>> {
  // The server asks the editor about files that are open in it.
  await vscode.window.showTextDocument(file(name));
  const before = asked().length;
  await start("ensemble.explain", about(file(name), 0, { range: WHOLE }));
  return await until("the members answered", () => {
    const since = asked(before).filter(({ prompt }) => prompt.includes("explain this code"));
    return since.length >= members && since;
  });
}

describe("what reaches the models", () => {
  it("has the definition that another extension's language support knows", async () => {
    const provider = vscode.languages.registerDefinitionProvider(
      { language: "python" },
      {
        provideDefinition: (document, position) =>
          document.getText(document.getWordRangeAtPosition(position)) === "levy"
            ? new vscode.Location(file("tariff.py"), new vscode.Range(0, 0, 1, 0))
            : undefined,
      },
    );
    const prompts = await explained("duty.py", 2);
    provider.dispose();
    for (const { prompt } of prompts)
      assert.ok(prompt.includes("return kind.rate  # levy of the harbour"), prompt);
    const without = await explained("duty.py", 2);
    assert.ok(without.every(({ prompt }) => !prompt.includes("levy of the harbour")));
  });

  it("goes to the panel that the settings name now", async () => {
    const settings = vscode.workspace.getConfiguration("ensemble");
    const panel = settings.get<object[]>("panel", []);
    assert.equal(panel.length, 2);
    await settings.update("panel", panel.slice(0, 1), vscode.ConfigurationTarget.Workspace);
    const one = await explained("cart.py", 1);
    await settings.update("panel", undefined, vscode.ConfigurationTarget.Workspace);
    const both = await explained("cart.py", 2);
    assert.deepEqual(new Set(one.map(({ model }) => model)), new Set(["alpha"]));
    assert.deepEqual(new Set(both.map(({ model }) => model)), new Set(["alpha", "beta"]));
  });
});
