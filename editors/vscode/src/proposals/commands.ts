/** The commands of the review: on a node of the view, on the diff in front, or on the only proposal there is. */
import * as vscode from "vscode";
import { INPUT_BOX } from "../inputBox.js";
import type { Applied } from "../protocol.js";
import type { ProposalBook } from "./book.js";
import type { Diffs, Target } from "./diffs.js";
import type { Node, ProposalTree } from "./tree.js";
import { candidateChecks, candidateTitle, standing } from "./words.js";

export function registerProposalCommands(
  book: ProposalBook,
  diffs: Diffs,
  tree: ProposalTree,
  view: vscode.TreeView<Node>,
): vscode.Disposable {
  const commands = new ProposalCommands(book, diffs, tree, view);
  const all: Record<string, (node?: Node) => Promise<void>> = {
    "ensemble.ui.openProposal": (node) => commands.open(node),
    "ensemble.ui.openAllFiles": (node) => commands.openAll(node),
    "ensemble.ui.acceptProposal": (node) => commands.acceptAll(node),
    "ensemble.ui.rejectProposal": (node) => commands.rejectAll(node),
    "ensemble.ui.acceptHunk": (node) => commands.acceptHunk(node),
    "ensemble.ui.rejectHunk": (node) => commands.rejectHunk(node),
    "ensemble.ui.toggleHunk": (node) => commands.toggleHunk(node),
    "ensemble.ui.whyHunk": (node) => commands.why(node),
    "ensemble.ui.nextHunk": () => commands.walk(1),
    "ensemble.ui.previousHunk": () => commands.walk(-1),
    "ensemble.ui.chooseCandidate": (node) => commands.choose(node),
  };
  return vscode.Disposable.from(
    ...Object.entries(all).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

const { t } = vscode.l10n;

class ProposalCommands {
  constructor(
    private readonly book: ProposalBook,
    private readonly diffs: Diffs,
    private readonly tree: ProposalTree,
    private readonly view: vscode.TreeView<Node>,
  ) {}

  async open(node?: Node): Promise<void> {
    const proposal = await this.proposal(node);
    if (proposal === undefined) return;
    const uri = node !== undefined && "uri" in node ? node.uri : undefined;
    await this.diffs.open(proposal, uri, node?.kind === "hunk" ? node.hunk : undefined);
    if (node?.kind !== "hunk" && node?.kind !== "file") await this.reveal(proposal);
  }

  async openAll(node?: Node): Promise<void> {
    const proposal = await this.proposal(node);
    if (proposal !== undefined) await this.diffs.openAll(proposal);
  }

  async acceptAll(node?: Node): Promise<void> {
    const proposal = await this.proposal(node);
    if (proposal === undefined) return;
    const files = this.book.get(proposal)?.message.files ?? [];
    const inFront = this.diffs.active()?.uri ?? files[0]?.uri;
    const applied = await this.told(() => this.book.accept(proposal));
    if (applied?.applied !== true) return;
    const rest = this.book.get(proposal);
    if (rest === undefined) await this.toFile(inFront);
    else void vscode.window.showInformationMessage(t("Ensemble: applied; what you left out waits."));
  }

  async rejectAll(node?: Node): Promise<void> {
    const proposal = await this.proposal(node);
    if (proposal !== undefined) await this.told(() => this.book.reject(proposal));
  }

  async acceptHunk(node?: Node): Promise<void> {
    const target = this.hunk(node);
    if (target === undefined) return;
    const { proposal, uri, placed } = target;
    const wasInFront = this.diffs.active() !== undefined;
    const applied = await this.told(() => this.book.accept(proposal, [placed.hunk.id]));
    if (applied?.applied !== true || !wasInFront) return;
    const rest = this.book.get(proposal);
    if (rest === undefined) await this.toFile(uri);
    else await this.diffs.follow(rest, uri);
  }

  async rejectHunk(node?: Node): Promise<void> {
    const target = this.hunk(node);
    if (target !== undefined)
      await this.told(() => this.book.reject(target.proposal, [target.placed.hunk.id]));
  }

  toggleHunk(node?: Node): Promise<void> {
    const target = this.hunk(node);
    if (target !== undefined) this.book.toggle(target.proposal, target.placed.hunk.id);
    return Promise.resolve();
  }

  /** Show the reasons where the change is: as the editor's own hover, which keys and screen readers reach. */
  async why(node?: Node): Promise<void> {
    const target = this.hunk(node);
    if (target === undefined) return;
    if (node !== undefined) await this.diffs.open(target.proposal, target.uri, target.placed.hunk.id);
    await vscode.commands.executeCommand("editor.action.showHover", { focus: "autoFocusImmediately" });
  }

  async walk(direction: 1 | -1): Promise<void> {
    const proposal = await this.proposal();
    if (proposal !== undefined) await this.diffs.walk(proposal, direction);
  }

  async choose(node?: Node): Promise<void> {
    const proposal = await this.proposal(node);
    const message = proposal === undefined ? undefined : this.book.get(proposal)?.message;
    if (proposal === undefined || message === undefined) return;
    let candidate = node?.kind === "candidate" ? node.candidate : undefined;
    if (candidate === undefined) {
      const rows = message.candidates.map((each) => ({
        label: candidateTitle(each, t),
        iconPath: new vscode.ThemeIcon(each.id === message.candidate ? "circle-filled" : "circle-outline"),
        description: candidateChecks(each),
        detail: each.rejected,
        id: each.id,
      }));
      candidate = (await vscode.window.showQuickPick(rows, { title: t("Candidates of: {0}", message.title) }))
        ?.id;
    }
    const chosen = candidate;
    if (chosen === undefined || chosen === message.candidate) return;
    await this.told(() => this.book.choose(proposal, chosen));
    if (this.diffs.active()?.proposal === proposal) await this.diffs.open(proposal);
  }

  /** The proposal that a command is about: of the node, of the diff in front, the only one, or one that is asked for. */
  private async proposal(node?: Node): Promise<string | undefined> {
    const here = node?.proposal ?? this.diffs.active()?.proposal ?? this.diffs.allFiles();
    if (here !== undefined) return here;
    const reviews = this.book.all;
    if (reviews.length <= 1) return reviews[0]?.message.proposal;
    const rows = reviews.map(({ message }) => ({
      label: message.title,
      description: standing(message, t),
      proposal: message.proposal,
    }));
    return (await vscode.window.showQuickPick(rows, { title: t("Which proposal?") }))?.proposal;
  }

  /** The hunk that a command is about: of the node, else the one at the cursor; says so when there is none. */
  private hunk(node?: Node): Target | undefined {
    const target =
      node?.kind === "hunk" ? this.diffs.find(node.proposal, node.uri, node.hunk) : this.diffs.target();
    if (target === undefined) {
      vscode.window.setStatusBarMessage(t("Ensemble: put the cursor on a change first"), 4_000);
    }
    return target;
  }

  private async reveal(proposal: string): Promise<void> {
    const node = this.tree.node({ kind: "proposal", proposal });
    try {
      await this.view.reveal(node, { select: false, focus: false, expand: true });
    } catch (problem) {
      // It was decided on while the view was still opening.
      if (this.book.get(proposal) !== undefined) throw problem;
    }
  }

  private async toFile(uri: string | undefined): Promise<void> {
    if (uri === undefined) return;
    if (vscode.Uri.parse(uri).scheme === INPUT_BOX) {
      await vscode.commands.executeCommand("workbench.view.scm");
      return;
    }
    try {
      await vscode.window.showTextDocument(vscode.Uri.parse(uri), { preview: false });
    } catch {
      // The proposal deleted it.
    }
  }

  /** Run something against the server; what goes wrong is shown, in the server's words. */
  private async told<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await work();
      const { applied, failureReason } = (answer ?? {}) as Partial<Applied>;
      if (applied === false) {
        const reason = failureReason ?? t("nothing is ticked");
        void vscode.window.showWarningMessage(t("Ensemble: not applied: {0}", reason));
      }
      return answer;
    } catch (problem) {
      const message = problem instanceof Error ? problem.message : String(problem);
      void vscode.window.showErrorMessage(`Ensemble: ${message}`);
      return undefined;
    }
  }
}
