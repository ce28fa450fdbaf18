/** "Ensemble: Doctor": what `ensemble-lsp doctor` says of this machine, and what this extension sees of it. */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { codeBlock } from "../proposals/reasons.js";
import type { ServerState } from "../session.js";
import type { Found, NotFound } from "./locate.js";
import { isFound } from "./locate.js";

/** Milliseconds and bytes that the program may take. */
const TAKES = 60_000;
const PRINTS = 1_000_000;

const DOCTOR_SCHEME = "ensemble-doctor";
const reports = new Map<string, string>();
const reported = new vscode.EventEmitter<vscode.Uri>();

/** Lets the editor read the reports. */
export function registerReports(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(DOCTOR_SCHEME, {
    onDidChange: reported.event,
    provideTextDocumentContent: (address) => reports.get(address.toString()) ?? "",
  });
}

/** What the report is made of. */
export interface Examination {
  readonly extension: string;
  readonly editor: string;
  readonly trusted: boolean;
  readonly state: ServerState;
  readonly place: Found | NotFound;
  /** What `ensemble-lsp doctor` printed; empty when there is none. */
  readonly printed: string;
}

/** The report as Markdown; what programs print stands in a block of its own. */
export function report(seen: Examination): string {
  const { place, state } = seen;
  const lines = [
    "# Ensemble: Doctor",
    "",
    `- extension ${seen.extension}, editor ${seen.editor}`,
    `- workspace: ${seen.trusted ? "trusted" : "not trusted: only your own settings count, nothing of it is run"}`,
    `- server: ${stateInWords(state)}`,
  ];
  if (isFound(place)) lines.push(`- program: ${place.command} (found by ${place.source})`);
  else lines.push("- program: not found", ...place.tried.map((line) => `  - ${line}`));
  if (seen.printed !== "")
    lines.push("", "## ensemble-lsp doctor", "", codeBlock("text", seen.printed.trimEnd()));
  return `${lines.join("\n")}\n`;
}

function stateInWords(state: ServerState): string {
  switch (state.kind) {
    case "running":
      return `running, version ${state.version}`;
    case "failed":
      return `failed: ${state.reason}`;
    case "missing":
    case "starting":
    case "stopped":
      return state.kind;
  }
}

export async function showDoctor(
  parts: Omit<Examination, "place" | "printed" | "trusted">,
  locate: () => Promise<Found | NotFound>,
  environment: () => Promise<NodeJS.ProcessEnv>,
  directory: vscode.Uri,
): Promise<void> {
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Ensemble: Doctor") },
    async () => {
      const place = await locate();
      const printed = isFound(place) ? await run(place, await environment(), directory) : "";
      const content = report({ ...parts, trusted: vscode.workspace.isTrusted, place, printed });
      // A view, not a new file that would ask to be saved.
      const address = vscode.Uri.from({ scheme: DOCTOR_SCHEME, path: "/Ensemble Doctor.md" });
      reports.set(address.toString(), content);
      reported.fire(address);
      await vscode.window.showTextDocument(address, { preview: true });
    },
  );
}

function run(place: Found, environment: NodeJS.ProcessEnv, directory: vscode.Uri): Promise<string> {
  const parts = place.args.map((part) => (part === "serve" ? "doctor" : part));
  const env = { ...environment, NO_COLOR: "1", COLUMNS: "110" };
  return new Promise((resolve) => {
    execFile(
      place.command,
      parts,
      { cwd: directory.fsPath, env, timeout: TAKES, maxBuffer: PRINTS },
      (problem, stdout, stderr) => {
        const text = [stdout, stderr].filter((each) => each.trim() !== "").join("\n");
        resolve(text === "" && problem !== null ? problem.message : text);
      },
    );
  });
}
