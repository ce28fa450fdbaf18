/** What a person calls the document that a proposal changes. */
import { posix } from "node:path";
import * as vscode from "vscode";
import { INPUT_BOX } from "../inputBox.js";

export function nameOf(uri: vscode.Uri): string {
  return uri.scheme === INPUT_BOX ? vscode.l10n.t("Commit message") : posix.basename(uri.path);
}
