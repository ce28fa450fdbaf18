/** `ensemble/context`: what the editor's other language servers know about the names in a job's range. */
import * as vscode from "vscode";
import type { ContextAnswer, ContextLocation, ContextParams, DiagnosticArgument } from "../protocol.js";

/** Milliseconds; the server waits two seconds, and half an answer in time is better than a whole one too late. */
const ANSWERS_WITHIN = 1_700;

/** Locations of each kind, and characters of one text: what the server takes at most. */
const LOCATIONS = 64;
const CHARACTERS = 20_000;

const OURS = "ensemble";

type Place = vscode.Location | vscode.LocationLink;

export async function answerContext(params: ContextParams): Promise<ContextAnswer> {
  const uri = vscode.Uri.parse(params.uri);
  const wants = new Set(params.want);
  const positions = params.positions.map((each) => new vscode.Position(each.line, each.character));
  const answer = {
    definitions: [] as ContextLocation[],
    references: [] as ContextLocation[],
    hovers: [] as string[],
    diagnostics: wants.has("diagnostics") ? diagnosticsOf(uri) : [],
  };
  const work: Promise<void>[] = [];
  for (const position of positions) {
    if (wants.has("definition")) {
      work.push(
        ask<Place[]>("vscode.executeDefinitionProvider", uri, position).then(async (places) => {
          answer.definitions.push(...(await located(places ?? [])));
        }),
      );
    }
    if (wants.has("hover")) {
      work.push(
        ask<vscode.Hover[]>("vscode.executeHoverProvider", uri, position).then((hovers) => {
          const text = (hovers ?? []).flatMap((hover) => hover.contents.map(plain)).join("\n\n");
          if (text.trim() !== "") answer.hovers.push(text.slice(0, CHARACTERS));
        }),
      );
    }
  }
  // The first name is that of the definition around the range.
  if (wants.has("references") && positions[0] !== undefined) {
    work.push(
      ask<vscode.Location[]>("vscode.executeReferenceProvider", uri, positions[0]).then(async (places) => {
        answer.references.push(...(await located(places ?? [])));
      }),
    );
  }
  await within(ANSWERS_WITHIN, Promise.all(work));
  answer.definitions = unique(answer.definitions);
  answer.references = unique(answer.references);
  // A copy: what comes in late must not change the answer while it is written.
  return structuredClone(answer);
}

/** Ask all providers of one kind; nothing when one of them fails. */
async function ask<T>(command: string, uri: vscode.Uri, position: vscode.Position): Promise<T | undefined> {
  try {
    return await vscode.commands.executeCommand<T>(command, uri, position);
  } catch {
    return undefined;
  }
}

async function located(places: readonly Place[]): Promise<ContextLocation[]> {
  return await Promise.all(
    places.slice(0, LOCATIONS).map(async (place) => {
      const uri = "targetUri" in place ? place.targetUri : place.uri;
      const range = "targetUri" in place ? place.targetRange : place.range;
      const location: ContextLocation = {
        uri: uri.toString(),
        range: { start: point(range.start), end: point(range.end) },
      };
      const text = await linesOf(uri, range);
      return text === undefined ? location : { ...location, text };
    }),
  );
}

/** The lines of a range outside the workspace; those within it are read by the server itself. */
async function linesOf(uri: vscode.Uri, range: vscode.Range): Promise<string | undefined> {
  if (vscode.workspace.getWorkspaceFolder(uri) !== undefined) return undefined;
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    const lines = new vscode.Range(range.start.line, 0, range.end.line + 1, 0);
    return document.getText(document.validateRange(lines)).slice(0, CHARACTERS);
  } catch {
    return undefined;
  }
}

function diagnosticsOf(uri: vscode.Uri): DiagnosticArgument[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter((each) => each.source !== OURS)
    .map(diagnosticArgument);
}

/** A diagnostic as the server's commands take it. */
export function diagnosticArgument(diagnostic: vscode.Diagnostic): DiagnosticArgument {
  const { code, source } = diagnostic;
  const value = typeof code === "object" ? code.value : code;
  return {
    range: { start: point(diagnostic.range.start), end: point(diagnostic.range.end) },
    message: diagnostic.message,
    // LSP counts severities from 1.
    severity: diagnostic.severity + 1,
    ...(source === undefined ? {} : { source }),
    ...(value === undefined ? {} : { code: value }),
  };
}

function point({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}

function plain(content: vscode.Hover["contents"][number]): string {
  return typeof content === "string" ? content : (content as vscode.MarkdownString).value;
}

function unique(locations: readonly ContextLocation[]): ContextLocation[] {
  const byPlace = new Map(locations.map((each) => [`${each.uri}#${JSON.stringify(each.range)}`, each]));
  return [...byPlace.values()].slice(0, LOCATIONS);
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
