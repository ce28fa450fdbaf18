/** The language client itself: what of it is loaded when the server is started, and not before. */
import { LanguageClient } from "vscode-languageclient/node";
import type { StaticFeature } from "vscode-languageclient/node";

export { CloseAction, ErrorAction, State } from "vscode-languageclient/node";

/** A client that only writes its errors into the log: what a person should know of them, this session says. */
export class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Tells the server which of its own messages this client understands. */
export const OPT_IN: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      ensemble: { events: true, proposals: true, context: true, input: true },
    };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};
