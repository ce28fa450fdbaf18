import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import { until } from "../support/condition.js";
import { file, offered, our } from "./editor.js";

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

describe("activation", () => {
  it("happens by itself, without a command of ours", async () => {
    await until("the extension is active", () => our().isActive);
    assert.equal(our().extensionKind, vscode.ExtensionKind.Workspace);
  });

  it("registers every command that the manifest names", async () => {
    const { contributes } = our().packageJSON as Manifest;
    const named = contributes.commands.map(({ command }) => command);
    assert.ok(named.length > 30, `only ${named.length} commands are named`);
    const registered = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(
      named.filter((command) => !registered.has(command)),
      [],
    );
  });

  it("starts the server, whose commands the editor then knows", async () => {
    await offered(file("cart.py"), 0, "Ensemble: explain");
    const registered = await vscode.commands.getCommands(true);
    for (const command of ["ensemble.fix", "ensemble.review", "ensemble.explain", "ensemble.apply"])
      assert.ok(registered.includes(command), command);
  });

  it("offers actions that run commands of the server and change nothing themselves", async () => {
    const review = await offered(file("cart.py"), 3, "Ensemble: review");
    assert.equal(review.edit, undefined);
    assert.equal(review.command?.command, "ensemble.review");
  });
});
