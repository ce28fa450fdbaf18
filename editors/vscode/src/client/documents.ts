/** How what the panel wrote is shown: rendered, unless the person wants its Markdown. */
import * as vscode from "vscode";
import type { WindowMiddleware } from "vscode-languageclient/node";

/** Documents of the server, whose text it provides; proposals' diffs have a scheme of their own. */
const SCHEME = "ensemble";

/** What is written to be read for itself; everything else stands beside what it speaks of: a diff, a list. */
const ALONE = /^\/(?:explanation|debate|transcript)\//;

/** `ensemble.documents.open`. */
type Opening = "preview" | "source";

export const showDocument: NonNullable<WindowMiddleware["showDocument"]> = async (params, token, next) => {
  const uri = vscode.Uri.parse(params.uri);
  const opening = vscode.workspace.getConfiguration("ensemble").get<Opening>("documents.open", "preview");
  if (uri.scheme !== SCHEME || opening === "source") return await next(params, token);
  try {
    if (ALONE.test(uri.path)) await vscode.commands.executeCommand("markdown.showPreview", uri);
    else await showBeside(uri);
    return { success: true };
  } catch {
    // The editor's own Markdown support can be switched off.
    return await next(params, token);
  }
};

/** The preview of the editor's own Markdown support, as an editor that can be opened without taking the focus. */
const PREVIEW = "vscode.markdown.preview.editor";

/** Show a document in the next group; the person stays where they are. */
async function showBeside(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand("vscode.openWith", uri, PREVIEW, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
  });
}
