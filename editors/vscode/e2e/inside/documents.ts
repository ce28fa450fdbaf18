import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import { until } from "../support/condition.js";
import { about, file, start } from "./editor.js";

describe("virtual documents", () => {
  it("have the text of an explanation and of its transcript", async () => {
    const job = await start("ensemble.explain", about(file("cart.py"), 0));
    const text = async (path: string) => {
      const uri = vscode.Uri.from({ scheme: "ensemble", path });
      return (await vscode.workspace.openTextDocument(uri)).getText();
    };
    const explanation = await until("the explanation is written", () =>
      text(`/explanation/${job}/cart.py.md`),
    );
    assert.match(explanation, /Sums the prices of a cart/);
    const transcript = await text(`/transcript/${job}.md`);
    for (const member of ["alpha", "beta"]) assert.ok(transcript.includes(member), transcript);
  });

  it("of a job that nobody ran cannot be opened", async () => {
    const uri = vscode.Uri.parse("ensemble:/transcript/no-such-job.md");
    await assert.rejects(async () => vscode.workspace.openTextDocument(uri));
  });
});
