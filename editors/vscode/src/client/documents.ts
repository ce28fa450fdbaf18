/** How what the panel wrote is shown: rendered, unless the person wants its Markdown. */
import * as vscode from "vscode";
import type { WindowMiddleware } from "vscode-languageclient/node";

/** Documents of the server, whose text it provides; proposals' diffs have a scheme of their own. */
const SCHEME = "ensemble";

/** `ensemble.documents.open`. */
type Opening = "preview" | "source";

export const showDocument: NonNullable<WindowMiddleware["showDocument"]> = async (params, token, next) => {
  const uri = vscode.Uri.parse(params.uri);
  const opening = vscode.workspace.getConfiguration("ensemble").get<Opening>("documents.open", "preview");
  if (uri.scheme !== SCHEME || opening === "source") return await next(params, token);
  try {
    await vscode.commands.executeCommand("markdown.showPreview", uri);
    return { success: true };
  } catch {
    // The editor's own Markdown support can be switched off.
    return await next(params, token);
  }
};
