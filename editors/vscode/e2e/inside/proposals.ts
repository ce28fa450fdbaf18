import assert from "node:assert/strict";
import { afterEach, describe, it } from "mocha";
import * as vscode from "vscode";
import { BUG, CART, REPAIR } from "../support/cart.js";
import { until } from "../support/condition.js";
import { about, file, start } from "./editor.js";

const REPAIRED = CART.replace(BUG, REPAIR);

/** The changed line, counted from 0. */
const CHANGED = 3;

/** Ask for a fix and wait for the diff editor that opens for it, with the cursor on the change. */
async function propose(uri: vscode.Uri): Promise<vscode.TabInputTextDiff> {
  await vscode.window.showTextDocument(uri);
  await start("ensemble.fix", about(uri, 0, { instruction: "the sum is wrong" }));
  return await until("the diff opens", () => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const editor = vscode.window.activeTextEditor;
    const isOpen =
      input instanceof vscode.TabInputTextDiff && editor?.document.uri.scheme === "ensemble-diff";
    return isOpen && editor.selection.active.line === CHANGED && input;
  });
}

const text = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();

describe("a proposal", () => {
  const uri = file("sum.py");

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("is a diff of two virtual documents; the file stays as it was", async () => {
    const { original, modified } = await propose(uri);
    assert.deepEqual([original.scheme, modified.scheme], ["ensemble-diff", "ensemble-diff"]);
    assert.equal(await text(original), CART);
    assert.equal(await text(modified), REPAIRED);
    assert.equal(await text(uri), CART);
    await vscode.commands.executeCommand("ensemble.ui.toggleHunk");
    const proposed = await vscode.workspace.openTextDocument(modified);
    await until("the diff follows the tick", () => proposed.getText() === CART);
    await vscode.commands.executeCommand("ensemble.ui.rejectProposal");
    assert.equal(await text(uri), CART);
  });

  it("is applied in one step, which one undo takes back", async () => {
    await propose(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const versions: string[] = [];
    const listening = vscode.workspace.onDidChangeTextDocument((change) => {
      if (change.document === document && change.contentChanges.length > 0) versions.push(document.getText());
    });
    await vscode.commands.executeCommand("ensemble.ui.acceptProposal");
    assert.equal(document.getText(), REPAIRED);
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand("undo");
    listening.dispose();
    assert.deepEqual(versions, [REPAIRED, CART]);
    await vscode.commands.executeCommand("ensemble.ui.rejectProposal");
    await document.save();
  });
});
