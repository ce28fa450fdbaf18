/** What happens when a proposal arrives: its diff opens, unless the person is busy. */
import * as vscode from "vscode";
import type { ServerCommands } from "../client/serverCommands.js";
import { INPUT_BOX } from "../inputBox.js";
import type { Session } from "../session.js";
import type { ProposalBook } from "./book.js";
import type { Diffs } from "./diffs.js";
import { standing } from "./words.js";

/** `ensemble.review.open`. */
export type Opening = "whenIdle" | "always" | "never";

/** Whether a diff may come up by itself; it must not take the place of what somebody types. */
export function opens(
  setting: Opening,
  busy: { readonly typed: boolean; readonly reviewing: boolean },
): boolean {
  return setting === "always" || (setting === "whenIdle" && !busy.typed && !busy.reviewing);
}

/** Notices whether the person typed since a job started. */
export class Typing implements vscode.Disposable {
  private last = 0;
  private readonly started = new Map<string, number>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(session: Session, commands: Pick<ServerCommands, "onJob">) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((change) => {
        const { document, contentChanges } = change;
        const isPersons =
          document.uri.scheme === INPUT_BOX ||
          (document.uri.scheme === "file" && vscode.window.activeTextEditor?.document === document);
        if (isPersons && contentChanges.length > 0) this.last = Date.now();
      }),
      // Not from the event `started`: an engine that starts first may take seconds to send it.
      commands.onJob(({ job, asked }) => this.started.set(job, asked)),
      session.onEvent((event) => {
        if (event.kind === "started" && !this.started.has(event.job)) this.started.set(event.job, Date.now());
      }),
    ];
  }

  since(job: string): boolean {
    const started = this.started.get(job) ?? Date.now();
    this.started.delete(job);
    return this.last > started;
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}

export async function arrive(
  proposal: string,
  book: ProposalBook,
  diffs: Diffs,
  typing: Typing,
): Promise<void> {
  const review = book.get(proposal);
  if (review === undefined) return;
  const setting = vscode.workspace.getConfiguration("ensemble").get<Opening>("review.open", "whenIdle");
  const busy = { typed: typing.since(review.message.job), reviewing: diffs.active() !== undefined };
  if (opens(setting, busy)) {
    await vscode.commands.executeCommand("ensemble.ui.openProposal", { kind: "proposal", proposal });
    return;
  }
  const { t } = vscode.l10n;
  const [show, accept, discard] = [t("Show"), t("Accept"), t("Discard")];
  const chosen = await vscode.window.showInformationMessage(
    `Ensemble: ${review.message.title} (${standing(review.message, t)})`,
    show,
    accept,
    discard,
  );
  const command =
    chosen === show
      ? "ensemble.ui.openProposal"
      : chosen === accept
        ? "ensemble.ui.acceptProposal"
        : chosen === discard
          ? "ensemble.ui.rejectProposal"
          : undefined;
  if (command !== undefined) await vscode.commands.executeCommand(command, { kind: "proposal", proposal });
}
