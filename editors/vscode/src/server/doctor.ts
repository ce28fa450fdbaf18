/** "Ensemble: Doctor": what `ensemble-lsp doctor` says of this machine, and what this extension sees of it. */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import type { LanguageSession } from "../client/languageSession.js";
import { money } from "../live/figures.js";
import { codeBlock } from "../proposals/reasons.js";
import type { PanelDescription } from "../protocol.js";
import type { ServerState, Session } from "../session.js";
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
  /** Who would sit by the editor's own settings, or why nobody can say; undefined when no server runs. */
  readonly panel: PanelDescription | string | undefined;
  /** What `ensemble-lsp doctor --json` printed; empty when there is none. */
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
  lines.push(...members(seen.panel));
  if (seen.printed !== "")
    lines.push("", "## ensemble-lsp doctor", "", codeBlock("text", ofTheMachine(seen.printed.trimEnd())));
  return `${lines.join("\n")}\n`;
}

function members(panel: Examination["panel"]): string[] {
  if (panel === undefined) return [];
  if (typeof panel === "string") return [`- panel: ${panel}`];
  const spent = `${money(panel.spentTodayUsd)} of ${money(panel.dayUsd)}`;
  return [
    ...panel.seats.map((seat) => `- member ${seat.id}: ${seat.model}; key: ${seat.key}`),
    ...panel.notes.map((note) => `- note: ${note}`),
    `- spent today: ${spent}`,
  ];
}

/** Of the editor the program knows neither whom it trusts nor whom its settings seat: those lines stand above. */
const OF_THE_TERMINAL = /^(?:trust|panel|member .*|note|spent today)$/;

interface Item {
  readonly name: string;
  /** Null is "for your information". */
  readonly good: boolean | null;
  readonly text: string;
}

/** The lines that are true of the editor too; what is not the program's report stays as it was printed. */
function ofTheMachine(printed: string): string {
  let items: unknown;
  try {
    items = JSON.parse(printed);
  } catch {
    return printed;
  }
  if (!Array.isArray(items)) return printed;
  return (items as Item[])
    .filter(({ name }) => !OF_THE_TERMINAL.test(name))
    .map(({ name, good, text }) => `${good === null ? "·" : good ? "✓" : "✗"} ${name}: ${text}`)
    .join("\n");
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
  parts: Omit<Examination, "place" | "printed" | "trusted" | "panel">,
  session: LanguageSession,
  locate: () => Promise<Found | NotFound>,
  directory: vscode.Uri,
): Promise<void> {
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Ensemble: Doctor") },
    async () => {
      const place = await locate();
      const panel = parts.state.kind === "running" ? await seated(session) : undefined;
      const printed = isFound(place) ? await run(place, await session.environment(), directory) : "";
      const content = report({ ...parts, trusted: vscode.workspace.isTrusted, place, panel, printed });
      // A view, not a new file that would ask to be saved.
      const address = vscode.Uri.from({ scheme: DOCTOR_SCHEME, path: "/Ensemble Doctor.md" });
      reports.set(address.toString(), content);
      reported.fire(address);
      await vscode.window.showTextDocument(address, { preview: true });
    },
  );
}

async function seated(session: Session): Promise<PanelDescription | string> {
  try {
    return await session.execute("ensemble.panel", {});
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
}

/** Run the program on the open folder, from a directory where nothing of that folder can take its place. */
function run(place: Found, environment: NodeJS.ProcessEnv, directory: vscode.Uri): Promise<string> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const about = folder?.scheme === "file" ? ["--workspace", folder.fsPath] : [];
  const parts = place.args.flatMap((part) => (part === "serve" ? ["doctor", "--json", ...about] : [part]));
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
