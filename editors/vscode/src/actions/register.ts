/** The actions of menus, palette and keys: the server's commands on the place at the cursor. */
import * as vscode from "vscode";
import { diagnosticArgument } from "../client/context.js";
import type { Instructions } from "../client/instructions.js";
import type { ServerCommands } from "../client/serverCommands.js";
import type { CommandName } from "../protocol.js";
import type { Place, PlaceAction } from "./arguments.js";
import { askBase } from "./base.js";
import { registerCommitMessage } from "./commitMessage.js";
import { PLACE_ACTIONS, placeArgument } from "./arguments.js";

const OURS = "ensemble";

export function registerActions(
  context: vscode.ExtensionContext,
  commands: ServerCommands,
  instructions: Instructions,
): void {
  const { registerCommand } = vscode.commands;
  const { t } = vscode.l10n;
  for (const action of PLACE_ACTIONS) {
    context.subscriptions.push(registerCommand(`ensemble.ui.${action}`, () => onPlace(commands, action)));
  }
  const review = (scope: "file" | "changes" | "staged" | "workspace") => async (from?: unknown) => {
    const uri = scope === "file" ? vscode.window.activeTextEditor?.document.uri : await folderOf(from);
    if (uri !== undefined) await commands.run("ensemble.review", { uri: uri.toString(), scope });
  };
  context.subscriptions.push(
    registerCommand("ensemble.ui.reviewFile", review("file")),
    registerCommand("ensemble.ui.reviewChanges", review("changes")),
    registerCommand("ensemble.ui.reviewStaged", review("staged")),
    registerCommand("ensemble.ui.reviewSince", async (from?: unknown) => {
      const uri = await folderOf(from);
      const base = uri === undefined ? undefined : await askBase(uri);
      if (uri === undefined || base === undefined) return;
      await commands.run("ensemble.review", { uri: uri.toString(), scope: "changes", base });
    }),
    registerCommand("ensemble.ui.reviewWorkspace", review("workspace")),
    registerCommitMessage(commands),
    // A fix without a diagnostic or a finding says nothing of what is wrong.
    commands.fill("ensemble.fix", async (argument) => {
      const says = argument.finding ?? argument.instruction;
      if (says !== undefined || (argument.diagnostics ?? []).length > 0) return argument;
      const text = await instructions.ask(
        t("Ensemble: Fix"),
        t("What is wrong? Leave it empty to let the panel find out."),
        true,
      );
      return text === undefined ? undefined : { ...argument, instruction: text };
    }),
  );
}

async function onPlace(commands: ServerCommands, action: PlaceAction): Promise<void> {
  const place = placeAtCursor();
  if (place === undefined) return;
  const name: CommandName = `ensemble.${action}`;
  await commands.run(name, placeArgument(action, place));
}

function placeAtCursor(): Place | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file") return undefined;
  const { document, selection } = editor;
  const touched = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  return {
    uri: document.uri.toString(),
    selected: document.getText(selection),
    selection: {
      start: { line: selection.start.line, character: selection.start.character },
      end: { line: selection.end.line, character: selection.end.character },
    },
    diagnostics: vscode.languages
      .getDiagnostics(document.uri)
      .filter((diagnostic) => diagnostic.range.intersection(touched) !== undefined)
      .map((diagnostic) => {
        const data = (diagnostic as { data?: unknown }).data;
        const isOurs = diagnostic.source === OURS && typeof data === "string";
        return { ...diagnosticArgument(diagnostic), ...(isOurs ? { finding: data } : {}) };
      }),
  };
}

/**
 * The folder that a menu of the source control view is about (of a repository, or of a group of its changes), else the
 * one of the active editor, else the only one.
 */
async function folderOf(from: unknown): Promise<vscode.Uri | undefined> {
  const { rootUri, resourceStates } = (from ?? {}) as Partial<
    vscode.SourceControl & vscode.SourceControlResourceGroup
  >;
  if (rootUri !== undefined) return rootUri;
  const folders = vscode.workspace.workspaceFolders ?? [];
  const near = resourceStates?.[0]?.resourceUri ?? vscode.window.activeTextEditor?.document.uri;
  const around = near && vscode.workspace.getWorkspaceFolder(near);
  if (around !== undefined) return around.uri;
  if (folders.length <= 1) return folders[0]?.uri;
  return (await vscode.window.showWorkspaceFolderPick())?.uri;
}
