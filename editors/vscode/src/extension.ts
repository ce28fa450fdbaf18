/** The extension's one composition root. Cheap: the server is looked for and started after `activate` returned. */
import * as vscode from "vscode";
import { LanguageSession } from "./client/languageSession.js";
import { currentSettings } from "./client/settings.js";
import { locateServer } from "./server/locate.js";
import { surroundings } from "./server/surroundings.js";
import type { EnvironmentSource } from "./session.js";

interface Manifest {
  readonly version: string;
  readonly contributes: { readonly configuration: { readonly properties: Record<string, unknown> } };
}

export function activate(context: vscode.ExtensionContext): void {
  const manifest = context.extension.packageJSON as Manifest;
  const keys = Object.keys(manifest.contributes.configuration.properties).map((key) =>
    key.slice("ensemble.".length),
  );
  const log = vscode.window.createOutputChannel("Ensemble", { log: true });
  const environment: EnvironmentSource[] = [];
  const session = new LanguageSession({
    log,
    trace: log,
    directory: context.globalStorageUri,
    answer: () => undefined,
    middleware: {},
    initializationOptions: () => ({
      settings: currentSettings(keys, vscode.workspace.isTrusted),
      trustedFolders: vscode.workspace.isTrusted
        ? (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.toString())
        : [],
    }),
    locate: () => locateServer(surroundings(manifest.version)),
    environment,
  });
  context.subscriptions.push(log, session);
  void session.start();
}
