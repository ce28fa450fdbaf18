import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import { until } from "../support/condition.js";
import { offered, file, start } from "./editor.js";

/** What the scripted models find in cart.py. */
const TITLE = "The loop overwrites the sum";
const DETAIL = "total([1, 2]) gives 2";

describe("a review", () => {
  const uri = file("cart.py");
  const ours = () => vscode.languages.getDiagnostics(uri).filter(({ source }) => source === "ensemble");

  it("becomes diagnostics of the editor", async () => {
    await vscode.window.showTextDocument(uri);
    await start("ensemble.review", { uri: uri.toString(), scope: "file" });
    const found = await until("the finding is there", () =>
      ours().find(({ message }) => message.includes(TITLE)),
    );
    assert.equal(found.range.start.line, 3);
  });

  it("says in the hover why, and who", async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      "vscode.executeHoverProvider",
      uri,
      new vscode.Position(3, 10),
    );
    const said = hovers
      .flatMap(({ contents }) =>
        contents.map((each) => (typeof each === "string" ? each : (each as vscode.MarkdownString).value)),
      )
      .join("\n");
    assert.ok(said.includes(DETAIL), said);
    assert.ok(said.includes("2 of 2 families"), said);
  });

  it("offers to fix the finding; once dismissed it is gone", async () => {
    await offered(uri, 3, "Ensemble: fix");
    const dismiss = await offered(uri, 3, "Ensemble: dismiss this finding");
    assert.ok(dismiss.kind && vscode.CodeActionKind.QuickFix.contains(dismiss.kind), dismiss.kind?.value);
    const [argument] = (dismiss.command?.arguments ?? []) as object[];
    await vscode.commands.executeCommand("ensemble.dismiss", { ...argument, reason: "it is meant so" });
    await until("the diagnostic goes", () => ours().length === 0);
  });
});
