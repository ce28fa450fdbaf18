/** Tells the server which folders the person trusts, when that changes while it runs. */
import * as vscode from "vscode";
import type { Session } from "../session.js";

export function registerTrust(context: vscode.ExtensionContext, session: Session): void {
  const tell = (folders: readonly vscode.WorkspaceFolder[]): void => {
    if (!vscode.workspace.isTrusted) return;
    for (const { uri } of folders)
      void session.notify("ensemble/trust", { uri: uri.toString(), trusted: true });
  };
  context.subscriptions.push(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      tell(vscode.workspace.workspaceFolders ?? []);
      // The environment of a trusted workspace may have a server where there was none before.
      if (session.state.kind === "missing") void session.restart();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders((change) => tell(change.added)),
  );
}
