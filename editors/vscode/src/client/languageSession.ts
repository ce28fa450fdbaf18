/** The session over a real language client: finds the server, starts it, starts it again when it ends. */
import { spawn } from "node:child_process";
import * as vscode from "vscode";
import type { LanguageClient, LanguageClientOptions, Middleware } from "vscode-languageclient/node";
import { INPUT_BOX } from "../inputBox.js";
import { PROTOCOL_VERSION } from "../protocol.js";
import type { CommandName, Commands, JobEvent, ProposalMessage, Requests } from "../protocol.js";
import type { Found, NotFound } from "../server/locate.js";
import { isFound } from "../server/locate.js";
import { Restarts } from "../server/restarts.js";
import type { EnvironmentSource, ServerState, Session } from "../session.js";

/** Milliseconds that the server gets to end by itself. */
const STOPS_WITHIN = 2_000;

/** Milliseconds that the last words of a server that could not start are waited for. */
const LAST_WORDS_WITHIN = 1_000;

/** What the session needs from the rest of the extension. */
export interface SessionParts {
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.LogOutputChannel;
  /** A directory of ours, outside of every workspace: the server's working directory. */
  readonly directory: vscode.Uri;
  /** Answers the server's own requests; called for each new client before it starts. */
  readonly answer: (client: LanguageClient) => void;
  readonly middleware: Middleware;
  readonly initializationOptions: () => unknown;
  readonly locate: () => Promise<Found | NotFound>;
  /** The version of the server that belongs to this extension. */
  readonly version: string;
  readonly environment: readonly EnvironmentSource[];
}

export class LanguageSession implements Session, vscode.Disposable {
  state: ServerState = { kind: "stopped" };
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly events = new vscode.EventEmitter<JobEvent>();
  private readonly proposals = new vscode.EventEmitter<ProposalMessage>();
  readonly onState = this.states.event;
  readonly onEvent = this.events.event;
  readonly onProposal = this.proposals.event;

  private client: LanguageClient | undefined;
  private readonly restarts = new Restarts();
  private timer: NodeJS.Timeout | undefined;
  /** Starts and stops run one after the other. */
  private queue: Promise<void> = Promise.resolve();
  private disposed = false;

  constructor(private readonly parts: SessionParts) {}

  start(): Promise<void> {
    return this.enqueue(() => this.startNow());
  }

  restart(): Promise<void> {
    this.restarts.reset();
    return this.enqueue(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopNow());
  }

  async execute<Name extends CommandName>(
    command: Name,
    argument: Commands[Name]["argument"],
  ): Promise<Commands[Name]["answer"]> {
    return await this.running().sendRequest("workspace/executeCommand", { command, arguments: [argument] });
  }

  async request<Method extends keyof Requests>(
    method: Method,
    params: Requests[Method]["params"],
    token?: vscode.CancellationToken,
  ): Promise<Requests[Method]["result"]> {
    const client = this.running();
    // An absent token would count as a second parameter, and the message would carry a list.
    return token === undefined
      ? await client.sendRequest(method, params)
      : await client.sendRequest(method, params, token);
  }

  async notify(method: "ensemble/trust", params: { uri: string; trusted: boolean }): Promise<void> {
    if (this.state.kind === "running") await this.client?.sendNotification(method, params);
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.timer);
    void this.stop();
    for (const emitter of [this.states, this.events, this.proposals]) emitter.dispose();
  }

  private running(): LanguageClient {
    if (this.client === undefined || this.state.kind !== "running") {
      throw new Error(vscode.l10n.t("The Ensemble server is not running."));
    }
    return this.client;
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    const next = this.queue.then(work);
    this.queue = next.catch((problem: unknown) => this.parts.log.error(String(problem)));
    return next;
  }

  private become(state: ServerState): void {
    this.state = state;
    if (!this.disposed) this.states.fire(state);
  }

  private async startNow(): Promise<void> {
    clearTimeout(this.timer);
    if (this.disposed || this.client !== undefined) return;
    this.become({ kind: "starting" });
    const place = await this.parts.locate();
    if (!isFound(place)) {
      for (const line of place.tried) this.parts.log.warn(line);
      this.become({ kind: "missing", tried: place.tried });
      return;
    }
    this.parts.log.info(`starting ${place.command} ${place.args.join(" ")} (found by ${place.source})`);
    await vscode.workspace.fs.createDirectory(this.parts.directory);
    const environment = await this.environment();
    let output = "";
    let closed = Promise.resolve();
    // Loaded only now: it is most of the extension's code, and activation does not wait for it.
    const { CloseAction, ErrorAction, OPT_IN, QuietClient, State } = await import("./languageClient.js");
    const client = new QuietClient(
      "ensemble",
      "Ensemble",
      () =>
        new Promise((resolve, reject) => {
          const child = spawn(place.command, [...place.args], {
            cwd: this.parts.directory.fsPath,
            env: environment,
            stdio: "pipe",
          });
          child.stderr.on("data", (chunk: Buffer) => {
            output = (output + chunk.toString()).slice(-2_000);
          });
          closed = new Promise((done) => child.once("close", () => done()));
          child.once("error", reject);
          child.once("spawn", () => resolve(child));
        }),
      {
        ...this.clientOptions(),
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue, handled: true }),
          closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
        },
      },
    );
    client.registerFeature(OPT_IN);
    client.onNotification("ensemble/event", (event: JobEvent) => this.events.fire(event));
    client.onNotification("ensemble/proposal", (proposal: ProposalMessage) => this.proposals.fire(proposal));
    this.parts.answer(client);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && this.client === client && this.state.kind === "running") {
        this.ended(client, "");
      }
    });
    try {
      await client.start();
    } catch (problem) {
      // What a program says before it ends often comes in after its pipe broke.
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, LAST_WORDS_WITHIN))]);
      const reason = output.trim().split("\n").at(-1) ?? "";
      this.ended(
        client,
        reason === "" ? (problem instanceof Error ? problem.message : String(problem)) : reason,
      );
      return;
    }
    this.started(client);
  }

  private started(client: LanguageClient): void {
    const result = client.initializeResult;
    const experimental = result?.capabilities.experimental as { ensemble?: { version?: number } } | undefined;
    const protocol = experimental?.ensemble?.version;
    const version = result?.serverInfo?.version ?? "";
    if (protocol !== PROTOCOL_VERSION) {
      this.parts.log.error(
        `the server ${version} speaks protocol ${String(protocol)}, not ${PROTOCOL_VERSION}`,
      );
      void this.stopNow().then(() =>
        this.become({
          kind: "failed",
          reason: vscode.l10n.t(
            "The server {0} does not fit this extension: update the older of the two.",
            version,
          ),
          retrying: false,
        }),
      );
      return;
    }
    if (version !== this.parts.version) {
      this.parts.log.warn(`the server is ${version}, this extension was made for ${this.parts.version}`);
    }
    this.restarts.started();
    this.parts.log.info(`ensemble-lsp ${version} is running`);
    this.become({ kind: "running", version });
  }

  /** The server ended, or could not even start: start it again a little later, a few times. */
  private ended(client: LanguageClient, reason: string): void {
    this.client = undefined;
    void client.dispose().catch(() => undefined);
    if (this.disposed) return;
    const delay = this.restarts.next();
    this.parts.log.error(reason === "" ? "the server ended" : `the server ended: ${reason}`);
    this.become({
      kind: "failed",
      reason: reason === "" ? vscode.l10n.t("The server ended.") : reason,
      retrying: delay !== undefined,
    });
    if (delay !== undefined) this.timer = setTimeout(() => void this.start(), delay);
  }

  private async stopNow(): Promise<void> {
    clearTimeout(this.timer);
    const client = this.client;
    this.client = undefined;
    if (client !== undefined) {
      try {
        await client.dispose(STOPS_WITHIN);
      } catch (problem) {
        this.parts.log.warn(`the server did not stop in time: ${String(problem)}`);
      }
    }
    this.become({ kind: "stopped" });
  }

  /** The variables that the server gets. */
  async environment(): Promise<NodeJS.ProcessEnv> {
    const variables = await Promise.all(this.parts.environment.map((source) => source.variables()));
    const environment: NodeJS.ProcessEnv = Object.assign({}, process.env, ...variables) as NodeJS.ProcessEnv;
    // Of the extension host, not of programs that it starts.
    delete environment["ELECTRON_RUN_AS_NODE"];
    return environment;
  }

  private clientOptions(): LanguageClientOptions {
    return {
      // Not the virtual documents of the review: they are nobody's source. A commit message is written in no file.
      documentSelector: [{ scheme: "file" }, { scheme: INPUT_BOX }],
      outputChannel: this.parts.log,
      traceOutputChannel: this.parts.trace,
      initializationOptions: this.parts.initializationOptions,
      middleware: this.parts.middleware,
      markdown: { isTrusted: false, supportHtml: false },
      initializationFailedHandler: () => false,
    };
  }
}
