/** Where the language client is bent to this extension: settings, and the arguments of the server's commands. */
import * as vscode from "vscode";
import type { ConfigurationItem, Middleware } from "vscode-languageclient/node";
import { INPUT_BOX } from "../inputBox.js";
import type { CommandName } from "../protocol.js";
import { showDocument } from "./documents.js";
import type { ServerCommands } from "./serverCommands.js";
import type { Settings } from "./settings.js";

const SECTION = "ensemble";

export function middleware(settings: Settings, commands: ServerCommands): Middleware {
  return {
    // The light bulb's actions arrive here with the server's argument.
    executeCommand: (command, args) => commands.run(command as CommandName, (args[0] ?? {}) as object),
    // What is done in the box for a commit message has its button above it.
    provideCodeActions: (document, range, context, token, next) =>
      document.uri.scheme === INPUT_BOX ? [] : next(document, range, context, token),
    window: { showDocument },
    workspace: {
      configuration: async (params, token, next) => {
        const answers = (await next(params, token)) as unknown;
        const items: ConfigurationItem[] = params.items;
        return items.map((item, index): unknown => {
          if (item.section !== SECTION) return Array.isArray(answers) ? (answers[index] as unknown) : null;
          return settings.forFolder(
            item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri),
          );
        });
      },
    },
  };
}
