/** The editor as the tests in its extension host see it. */
import { join } from "node:path";
import * as vscode from "vscode";
import { type Asked, RECORD, askedIn } from "../support/asked.js";
import { until } from "../support/condition.js";

/** The folder of the window. */
export function folder(): vscode.Uri {
  const first = vscode.workspace.workspaceFolders?.[0];
  if (first === undefined) throw new Error("the window has no folder");
  return first.uri;
}

export const file = (name: string): vscode.Uri => vscode.Uri.joinPath(folder(), name);

/** What the models were asked since `start` requests were answered. */
export function asked(start = 0): Asked[] {
  return askedIn(join(folder().fsPath, "..", RECORD)).slice(start);
}

export function our(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension("ensemble-lsp.ensemble-lsp");
  if (found === undefined) throw new Error("the extension is not installed");
  return found;
}

/** Titles of the actions at a place, lines and characters counted from 0. */
export async function actions(uri: vscode.Uri, line: number, character = 0): Promise<vscode.CodeAction[]> {
  await vscode.workspace.openTextDocument(uri);
  const place = new vscode.Range(line, character, line, character);
  return await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uri, place);
}

/** Wait until the server offers an action, which it does once it runs. */
export async function offered(uri: vscode.Uri, line: number, title: string): Promise<vscode.CodeAction> {
  return await until(`"${title}" is offered`, async () =>
    (await actions(uri, line)).find((each) => each.title.startsWith(title)),
  );
}

/** Start a job by one of the server's commands, as the light bulb does; its id. */
export async function start(command: string, argument: object): Promise<string> {
  const answer = await vscode.commands.executeCommand<{ job: string } | undefined>(command, argument);
  if (answer === undefined) throw new Error(`${command} started nothing`);
  return answer.job;
}

/** The argument of a command about a function that begins at a line, counted from 0. */
export const about = (uri: vscode.Uri, line: number, more: object = {}): object => ({
  uri: uri.toString(),
  range: { start: { line, character: 4 }, end: { line, character: 4 } },
  ...more,
});
