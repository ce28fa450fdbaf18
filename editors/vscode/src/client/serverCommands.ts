/** Runs the server's commands for a person: what is missing of the argument is asked for, errors are shown. */
import * as vscode from "vscode";
import type { CommandName, Commands } from "../protocol.js";
import type { Session } from "../session.js";

/** Completes the argument of one command; undefined when the person backed out. */
export type Fill<Name extends CommandName> = (
  argument: Commands[Name]["argument"],
) => Promise<Commands[Name]["argument"] | undefined>;

/** An error as JSON-RPC delivers it. */
interface Refusal {
  readonly message: string;
  readonly data?: { readonly hint?: string };
}

export class ServerCommands {
  private readonly started = new vscode.EventEmitter<{ job: string; asked: number }>();
  private readonly done = new vscode.EventEmitter<{ command: CommandName; argument: object }>();
  /** A command of the person started a job; `asked` in milliseconds since the epoch. */
  readonly onJob = this.started.event;
  /** A command of the person was answered. */
  readonly onDone = this.done.event;
  private readonly fills = new Map<CommandName, unknown>();

  constructor(
    private readonly session: () => Session,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Complete the argument of a command whenever it runs: from the light bulb, a menu or the palette. */
  fill<Name extends CommandName>(command: Name, fill: Fill<Name>): vscode.Disposable {
    this.fills.set(command, fill);
    return new vscode.Disposable(() => this.fills.delete(command));
  }

  /** Run a command; undefined when the person backed out, or when it failed and the person was told. */
  async run<Name extends CommandName>(
    command: Name,
    argument: Commands[Name]["argument"],
  ): Promise<Commands[Name]["answer"] | undefined> {
    const fill = this.fills.get(command) as Fill<Name> | undefined;
    try {
      const complete = fill === undefined ? argument : await fill(argument);
      if (complete === undefined) return undefined;
      const asked = Date.now();
      const answer = await this.session().execute(command, complete);
      if ("job" in answer) this.started.fire({ job: answer.job, asked });
      if ("applied" in answer && !answer.applied) {
        const reason = answer.failureReason ?? "";
        void vscode.window.showWarningMessage(vscode.l10n.t("Ensemble: not applied: {0}", reason));
      }
      this.done.fire({ command, argument: complete });
      return answer;
    } catch (problem) {
      this.complain(problem);
      return undefined;
    }
  }

  /** Do something of several steps; when one fails the person is told. */
  async told(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (problem) {
      this.complain(problem);
    }
  }

  private complain(problem: unknown): void {
    const { message, data } = problem as Refusal;
    const hint = data?.hint ?? "";
    this.log.warn(`${message}${hint === "" ? "" : ` (${hint})`}`);
    void vscode.window.showErrorMessage(`Ensemble: ${message}${hint === "" ? "" : `. ${hint}`}`);
  }
}
