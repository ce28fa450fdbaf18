/** Tells the server which folders the person trusts, when that changes while it runs. */
import * as vscode from "vscode";
import type { Session } from "../session.js";
import type { Settings } from "./settings.js";

export function registerTrust(context: vscode.ExtensionContext, session: Session, settings: Settings): void {
  // Where the folder is not trusted, the person's settings reach the server at its start only.
  let given = JSON.stringify(settings.initializationOptions());
  const tell = (folders: readonly vscode.WorkspaceFolder[]): void => {
    if (!vscode.workspace.isTrusted) return;
    for (const { uri } of folders)
      void session.notify("ensemble/trust", { uri: uri.toString(), trusted: true });
  };
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (vscode.workspace.isTrusted || !change.affectsConfiguration("ensemble")) return;
      const now = JSON.stringify(settings.initializationOptions());
      if (now !== given) void session.restart();
      given = now;
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      tell(vscode.workspace.workspaceFolders ?? []);
      // The environment of a trusted workspace may have a server where there was none before.
      if (session.state.kind === "missing") void session.restart();
    }),
    vscode.workspace.onDidChangeWorkspaceFolders((change) => tell(change.added)),
  );
}
