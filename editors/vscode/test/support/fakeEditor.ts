/** As much of VS Code as the live view needs: panels whose pages a test plays. */
import { Emitter } from "../../src/emitter.js";
import type { FromPage, ToPage } from "../../src/live/messages.js";
import { heardAll } from "../../src/live/hearing.js";
import { type JobState, unheard } from "../../src/live/state.js";

export class FakePanel {
  readonly sent: ToPage[] = [];
  readonly received = new Emitter<FromPage>();
  readonly viewStates = new Emitter<unknown>();
  readonly disposals = new Emitter<undefined>();
  visible = true;
  disposed = false;
  readonly onDidChangeViewState = this.viewStates.event;
  readonly onDidDispose = this.disposals.event;
  readonly webview = {
    html: "",
    options: {},
    cspSource: "",
    onDidReceiveMessage: this.received.event,
    asWebviewUri: String,
    postMessage: (message: ToPage) => this.sent.push(message),
  };

  reveal(): void {
    this.visible = true;
  }

  dispose(): void {
    this.disposed = true;
    this.disposals.fire(undefined);
  }

  /** What the page shows: it folds what it was sent, as the real one does. */
  get shown(): JobState {
    return this.sent.reduce(
      (state, message) => (message.kind === "job" ? message.state : heardAll(state, message.events)),
      unheard(""),
    );
  }
}

interface Serializer {
  deserializeWebviewPanel(panel: FakePanel, state: unknown): Promise<void>;
}

export class FakeEditor {
  readonly panels: FakePanel[] = [];
  serializer: Serializer | undefined;

  /** The module `vscode`. */
  readonly module = {
    ViewColumn: { Beside: -2 },
    Uri: { joinPath: (...parts: unknown[]) => parts.join("/") },
    env: { language: "en" },
    l10n: { t: (text: string) => text },
    window: {
      registerWebviewPanelSerializer: (_view: string, serializer: Serializer) => {
        this.serializer = serializer;
        return { dispose: () => undefined };
      },
      createWebviewPanel: () => {
        const panel = new FakePanel();
        this.panels.push(panel);
        return panel;
      },
    },
  };
}
