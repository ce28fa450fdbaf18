/** The extension's one composition root. Cheap: the server is looked for and started after `activate` returned. */
import * as vscode from "vscode";
import { registerActions } from "./actions/register.js";
import { Instructions } from "./client/instructions.js";
import { LanguageSession } from "./client/languageSession.js";
import { middleware } from "./client/middleware.js";
import { answerQuestions } from "./client/questions.js";
import { ServerCommands } from "./client/serverCommands.js";
import { Settings } from "./client/settings.js";
import { traceChannel } from "./client/trace.js";
import { registerTrust } from "./client/trust.js";
import { registerProposals } from "./proposals/register.js";
import { registerReports, showDoctor } from "./server/doctor.js";
import { locateServer } from "./server/locate.js";
import { registerServerStatus } from "./server/status.js";
import { surroundings } from "./server/surroundings.js";
import type { EnvironmentSource } from "./session.js";
import { environmentWithKeys } from "./views/keys.js";
import { registerViews } from "./views/register.js";

interface Manifest {
  readonly version: string;
  readonly contributes: { readonly configuration: { readonly properties: object } };
}

export function activate(context: vscode.ExtensionContext): void {
  const started = performance.now();
  const manifest = context.extension.packageJSON as Manifest;
  const log = vscode.window.createOutputChannel("Ensemble", { log: true });
  const settings = new Settings(manifest);
  const instructions = new Instructions(context.workspaceState);
  const commands: ServerCommands = new ServerCommands(() => session, log);
  const locate = () => locateServer(surroundings(manifest.version));
  /** Where the server's variables come from, beside the editor's own environment. */
  const keys = environmentWithKeys(context);
  const environment: EnvironmentSource[] = [keys];
  const session = new LanguageSession({
    log,
    trace: traceChannel(context),
    directory: context.globalStorageUri,
    answer: (client) => answerQuestions(client, instructions),
    middleware: middleware(settings, commands),
    initializationOptions: () => settings.initializationOptions(),
    locate,
    version: manifest.version,
    environment,
  });
  context.subscriptions.push(log, session);
  registerServerStatus(context, session, log);
  registerTrust(context, session, settings);
  registerActions(context, commands, instructions);
  registerProposals(context, session, commands);
  registerViews(context, session, commands, keys);
  context.subscriptions.push(
    registerReports(),
    vscode.commands.registerCommand("ensemble.ui.doctor", () =>
      showDoctor(
        { extension: manifest.version, editor: vscode.version, state: session.state },
        session,
        locate,
        context.globalStorageUri,
      ),
    ),
  );
  void session.start();
  log.debug(`activated in ${(performance.now() - started).toFixed(1)} ms`);
}
