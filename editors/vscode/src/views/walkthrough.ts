/** The first five minutes: a sample program with a bug, and a fix by a model on this machine. */
import * as vscode from "vscode";
import type { ServerCommands } from "../client/serverCommands.js";
import type { Session } from "../session.js";

const PROGRAM = "cart.py";
const FILES = [PROGRAM, "test_cart.py"];

/** The function with the bug; 0-based, the end exclusive. */
const FUNCTION = { start: { line: 3, character: 0 }, end: { line: 7, character: 0 } };

/**
 * Seconds that the fix of the sample may take: a small model on a processor needs more than the default of a job
 * with hosted ones, the first time most of all.
 */
const SECONDS = 600;

export class Sample {
  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly session: Session,
    private readonly commands: ServerCommands,
  ) {}

  /** Write the sample into a folder of the extension's own, as it was at first, and open it. */
  async open(): Promise<vscode.Uri> {
    const folder = vscode.Uri.joinPath(this.context.globalStorageUri, "sample");
    await vscode.workspace.fs.createDirectory(folder);
    for (const name of FILES) {
      const packed = vscode.Uri.joinPath(this.context.extensionUri, "walkthrough", "sample", `${name}.txt`);
      const target = vscode.Uri.joinPath(folder, name);
      const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === target.toString());
      if (open?.isDirty !== true) await vscode.workspace.fs.copy(packed, target, { overwrite: true });
    }
    const program = vscode.Uri.joinPath(folder, PROGRAM);
    const place = new vscode.Position(6, 4);
    await vscode.window.showTextDocument(program, { selection: new vscode.Range(place, place) });
    // The program is ours, so its tests may be run; that happens in the sandbox like any check.
    await this.session.notify("ensemble/trust", { uri: folder.toString(), trusted: true });
    return program;
  }

  /** Fix it with the embedded model alone: no key, nothing leaves the machine. Asks before it fetches weights. */
  async fix(): Promise<string | undefined> {
    const program = await this.open();
    const model = vscode.workspace.getConfiguration("ensemble").get<string>("embedded.model", "");
    const answer = await this.commands.run("ensemble.fix", {
      uri: program.toString(),
      range: FUNCTION,
      instruction: vscode.l10n.t("The average price of an empty cart must be 0; now it divides by zero."),
      panel: [`embedded/${model}`],
      budget: { seconds: SECONDS },
    });
    return answer?.job;
  }
}
