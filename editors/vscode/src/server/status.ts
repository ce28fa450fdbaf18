/** What a person sees of the server itself: messages with buttons, restart, log, doctor. */
import * as vscode from "vscode";
import type { ServerState, Session } from "../session.js";

const INSTALLATION = "https://github.com/ensemble-lsp/ensemble-lsp/blob/main/docs/editors.md";

/** Whether jobs can be started: what menus and keys look at. */
export const RUNNING = "ensemble.running";

export function registerServerStatus(
  context: vscode.ExtensionContext,
  session: Session,
  log: vscode.LogOutputChannel,
): void {
  const { registerCommand } = vscode.commands;
  context.subscriptions.push(
    registerCommand("ensemble.ui.restart", () => session.restart()),
    registerCommand("ensemble.ui.showLog", () => log.show()),
    session.onState((state) => {
      void vscode.commands.executeCommand("setContext", RUNNING, state.kind === "running");
      void announce(state, session, log);
    }),
  );
}

async function announce(state: ServerState, session: Session, log: vscode.LogOutputChannel): Promise<void> {
  const { t } = vscode.l10n;
  if (state.kind === "missing") {
    const [settings, install, retry] = [t("Open Settings"), t("How to Install"), t("Retry")];
    const chosen = await vscode.window.showErrorMessage(
      t("Ensemble: no ensemble-lsp was found. {0}.", state.tried.join("; ")),
      settings,
      install,
      retry,
    );
    if (chosen === settings) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "ensemble.server.path");
    } else if (chosen === install) await vscode.env.openExternal(vscode.Uri.parse(INSTALLATION));
    else if (chosen === retry) await session.restart();
  } else if (state.kind === "failed" && !state.retrying) {
    const [restart, show] = [t("Restart"), t("Show Log")];
    const chosen = await vscode.window.showErrorMessage(`Ensemble: ${state.reason}`, restart, show);
    if (chosen === restart) await session.restart();
    else if (chosen === show) log.show();
  }
}
