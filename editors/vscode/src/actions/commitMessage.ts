/** A better commit message, or the first one, in the source control view's own box; nothing is ever committed. */
import { posix } from "node:path";
import * as vscode from "vscode";
import type { ServerCommands } from "../client/serverCommands.js";
import { repositoryIn } from "../inputBox.js";
import { git } from "./git.js";

export function registerCommitMessage(commands: ServerCommands): vscode.Disposable {
  return vscode.commands.registerCommand("ensemble.ui.rewriteMessage", async (from?: unknown) => {
    const folder = await folderOf(from);
    if (folder === undefined) return;
    const box = await messageBox(folder);
    if (box !== undefined) await commands.run("ensemble.rewrite", box);
    else {
      void vscode.window.showErrorMessage(
        vscode.l10n.t("Ensemble: the box for the commit message of {0} cannot be reached.", folder.fsPath),
      );
    }
  });
}

/** What the server is told of the box for the next commit's message of the repository around a folder. */
export async function messageBox(folder: vscode.Uri): Promise<{ uri: string; commit: string } | undefined> {
  const commit = ((await git())?.getRepository(folder)?.rootUri ?? folder).toString();
  const box = vscode.workspace.textDocuments.find(
    ({ uri }) => repositoryIn(uri.scheme, uri.query) === commit,
  );
  return box && { uri: box.uri.toString(), commit };
}

/** The repository whose button was pressed, else the only one, else one that is asked for. */
async function folderOf(from: unknown): Promise<vscode.Uri | undefined> {
  const { rootUri } = (from ?? {}) as Partial<vscode.SourceControl>;
  if (rootUri !== undefined) return rootUri;
  const { t } = vscode.l10n;
  const roots = ((await git())?.repositories ?? []).map((each) => each.rootUri);
  if (roots.length === 0) void vscode.window.showWarningMessage(t("Ensemble: no git repository is open."));
  if (roots.length <= 1) return roots[0];
  const rows = roots.map((uri) => ({
    label: posix.basename(uri.path),
    description: posix.dirname(uri.fsPath),
    iconPath: new vscode.ThemeIcon("repo"),
    uri,
  }));
  return (await vscode.window.showQuickPick(rows, { title: t("The commit message of which repository?") }))
    ?.uri;
}
