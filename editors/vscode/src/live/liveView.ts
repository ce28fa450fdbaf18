/** The live view: a panel beside the code in which the members are seen at work. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { JobEvent, Transcript } from "../protocol.js";
import type { ServerState, Session } from "../session.js";
import type { JobBoard } from "./jobBoard.js";
import { type Button, type ToPage, parsed } from "./messages.js";
import { heardAll } from "./hearing.js";
import { type JobState, isRunning, unheard } from "./state.js";
import { words } from "./words.js";

const VIEW = "ensemble.live";

/** Milliseconds between two messages to the page: two frames, so that many events travel together. */
const BATCH = 33;

/** What the buttons do; the commands of the extension, which also stand in menus. */
export interface LiveActions {
  press(button: Button, job: string): Promise<void>;
  openFinding(finding: string, job: string): Promise<void>;
}

export class LiveView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private job = "";
  /** The job that was asked for last; it is not shown yet while it is read back. */
  private wanted = "";
  private ready = false;
  private waiting: JobEvent[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly extension: vscode.Uri,
    private readonly session: Session,
    private readonly board: JobBoard,
    private readonly actions: LiveActions,
  ) {
    this.subscriptions = [
      board.onEvent(({ event }) => this.hear(event)),
      vscode.window.registerWebviewPanelSerializer(VIEW, {
        deserializeWebviewPanel: async (panel, state: unknown) => {
          this.adopt(panel);
          const job = (state as { job?: unknown } | undefined)?.job;
          if (typeof job === "string")
            await running(this.session)
              .then(() => this.show(job, { preserveFocus: true }))
              .catch(() => {
                panel.dispose();
              });
          else panel.dispose();
        },
      }),
    ];
  }

  /** Whether it is open, seen or not. */
  get isOpen(): boolean {
    return this.panel !== undefined;
  }

  /** The job that is shown; empty for none. */
  get shown(): string {
    return this.panel === undefined ? "" : this.job;
  }

  /** Show a job, one that runs or one of the past; rejects when nothing is known of it. */
  async show(job: string, options: { readonly preserveFocus?: boolean } = {}): Promise<void> {
    this.wanted = job;
    if (this.board.get(job) === undefined) {
      this.board.keep(await this.readBack(job));
      // Another one was asked for meanwhile.
      if (this.wanted !== job) return;
    }
    this.job = job;
    if (this.panel === undefined) {
      const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: options.preserveFocus ?? false };
      this.adopt(vscode.window.createWebviewPanel(VIEW, vscode.l10n.t("Ensemble"), column, this.options));
    } else if (options.preserveFocus !== true) this.panel.reveal(undefined, false);
    this.sendJob();
  }

  /** Take a new job in place of one that ended; one that runs stays. */
  follow(job: string): void {
    const shown = this.board.get(this.shown);
    if (this.panel === undefined || (shown !== undefined && isRunning(shown))) return;
    this.wanted = job;
    this.job = job;
    this.sendJob();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.panel?.dispose();
  }

  private get options(): vscode.WebviewOptions {
    return { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.extension, "dist", "live")] };
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel?.dispose();
    this.panel = panel;
    this.ready = false;
    panel.iconPath = vscode.Uri.joinPath(this.extension, "icons", "icon.png");
    panel.webview.options = this.options;
    panel.webview.onDidReceiveMessage((message: unknown) => void this.receive(message));
    panel.onDidChangeViewState(() => {
      // A hidden page is thrown away; it asks again when it comes back.
      if (!panel.visible) this.ready = false;
    });
    panel.onDidDispose(() => {
      if (this.panel === panel) this.panel = undefined;
    });
    panel.webview.html = this.page(panel.webview);
  }

  private async receive(raw: unknown): Promise<void> {
    const message = parsed(raw);
    if (message?.kind === "ready") {
      this.ready = true;
      this.sendJob();
    } else if (message?.kind === "button") await this.actions.press(message.button, this.job);
    else if (message?.kind === "finding") await this.actions.openFinding(message.finding, this.job);
  }

  private hear(event: JobEvent): void {
    if (event.job !== this.job || !this.ready) return;
    this.waiting.push(event);
    this.timer ??= setTimeout(() => this.flush(), BATCH);
  }

  private flush(): void {
    this.timer = undefined;
    const events = this.waiting;
    this.waiting = [];
    if (events.length > 0) this.post({ kind: "events", events });
  }

  private sendJob(): void {
    const state = this.board.get(this.job);
    if (!this.ready || state === undefined) return;
    this.waiting = [];
    this.post({ kind: "job", state, words: words((text) => vscode.l10n.t(text)) });
  }

  private post(message: ToPage): void {
    void this.panel?.webview.postMessage(message);
  }

  private async readBack(job: string): Promise<JobState> {
    const transcript = await this.session.request("ensemble/job", { job });
    // The events of a job go to the window that started it.
    if (transcript.summary.status === "running") {
      throw new Error(vscode.l10n.t("This job runs in another window."));
    }
    return stateOf(transcript);
  }

  private page(webview: vscode.Webview): string {
    const nonce = randomBytes(18).toString("base64url");
    const file = (name: string) =>
      webview.asWebviewUri(vscode.Uri.joinPath(this.extension, "dist", "live", name)).toString();
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!doctype html>
<html lang="${vscode.env.language}">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width">
    <link rel="stylesheet" href="${file("page-style.css")}">
    <title>Ensemble</title>
  </head>
  <body>
    <script nonce="${nonce}" type="module" src="${file("page.js")}"></script>
  </body>
</html>`;
  }
}

/** Wait for the server, which starts beside the views of a window; rejects when there will be none. */
async function running(session: Session): Promise<void> {
  const subscriptions: vscode.Disposable[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const look = (state: ServerState): void => {
        if (state.kind === "running") resolve();
        else if (state.kind === "missing" || (state.kind === "failed" && !state.retrying)) {
          reject(new Error(state.kind));
        }
      };
      subscriptions.push(session.onState(look));
      look(session.state);
    });
  } finally {
    for (const subscription of subscriptions) subscription.dispose();
  }
}

/** The state of a job of the past, out of what was kept of it. */
export function stateOf(transcript: Transcript): JobState {
  const { summary, result } = transcript;
  const events = transcript.events as unknown as readonly JobEvent[];
  const state = heardAll(unheard(summary.job), events);
  const ended = summary.status === "running" || summary.status === "lost" ? "failed" : summary.status;
  return {
    ...state,
    action: state.action ?? summary.action,
    status: state.status ?? ended,
    reason: state.reason === "" ? (result?.reason ?? "") : state.reason,
    seconds: state.seconds > 0 ? state.seconds : summary.seconds,
  };
}
