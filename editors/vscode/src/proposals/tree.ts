/** The Proposal view: proposals, their candidates and dissent, files, hunks with check boxes. */
import { posix } from "node:path";
import * as vscode from "vscode";
import { INPUT_BOX } from "../inputBox.js";
import type { Dissent, ProposalCandidate, ProposalFile, ProposalMessage } from "../protocol.js";
import type { ProposalBook } from "./book.js";
import { nameOf } from "./names.js";
import { reasons } from "./reasons.js";
import type { PlacedHunk, Review } from "./review.js";
import { canTick, conflicts, isTicked, placedHunks } from "./review.js";
import { candidateChecks, candidateTitle, evidenceInShort, hunkSize, hunkTitle, standing } from "./words.js";

export type Node =
  | { readonly kind: "proposal"; readonly proposal: string }
  | { readonly kind: "candidates"; readonly proposal: string }
  | { readonly kind: "candidate"; readonly proposal: string; readonly candidate: string }
  | { readonly kind: "dissent"; readonly proposal: string }
  | { readonly kind: "objection"; readonly proposal: string; readonly index: number }
  | { readonly kind: "file"; readonly proposal: string; readonly uri: string }
  | { readonly kind: "hunk"; readonly proposal: string; readonly uri: string; readonly hunk: string };

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
const { Checked, Unchecked } = vscode.TreeItemCheckboxState;

/** More files than this start folded: the view shows the files, not a thousand hunks. */
const FOLDED_FROM = 9;

export class ProposalTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly subscription: vscode.Disposable;
  /** One object for each node: the view knows nodes by identity. */
  private readonly nodes = new Map<string, Node>();

  constructor(private readonly book: ProposalBook) {
    this.subscription = book.onChange((change) => {
      const node =
        change.kind === "changed" ? this.node({ kind: "proposal", proposal: change.proposal }) : undefined;
      this.changes.fire(node);
    });
  }

  dispose(): void {
    this.subscription.dispose();
    this.changes.dispose();
  }

  node<Kind extends Node>(node: Kind): Kind {
    const key = JSON.stringify(node);
    const known = this.nodes.get(key) as Kind | undefined;
    if (known !== undefined) return known;
    this.nodes.set(key, node);
    return node;
  }

  getParent(node: Node): Node | undefined {
    const { proposal } = node;
    switch (node.kind) {
      case "proposal":
        return undefined;
      case "candidate":
        return this.node({ kind: "candidates", proposal });
      case "objection":
        return this.node({ kind: "dissent", proposal });
      case "hunk":
        return this.node({ kind: "file", proposal, uri: node.uri });
      case "candidates":
      case "dissent":
      case "file":
        return this.node({ kind: "proposal", proposal });
    }
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.book.all.map(({ message }) => this.node({ kind: "proposal", proposal: message.proposal }));
    }
    const { proposal } = node;
    const message = this.book.get(proposal)?.message;
    if (message === undefined) return [];
    switch (node.kind) {
      case "proposal":
        return [
          ...message.files
            .filter((file) => file.hunks.length > 0 || file.conflict !== "")
            .map((file) => this.node({ kind: "file", proposal, uri: file.uri })),
          ...(message.candidates.length > 1 ? [this.node({ kind: "candidates", proposal })] : []),
          ...(message.dissent.length > 0 ? [this.node({ kind: "dissent", proposal })] : []),
        ];
      case "candidates":
        return message.candidates.map(({ id }) => this.node({ kind: "candidate", proposal, candidate: id }));
      case "dissent":
        return message.dissent.map((_, index) => this.node({ kind: "objection", proposal, index }));
      case "file":
        return (this.book.file(proposal, node.uri)?.hunks ?? []).map(({ id }) =>
          this.node({ kind: "hunk", proposal, uri: node.uri, hunk: id }),
        );
      case "candidate":
      case "objection":
      case "hunk":
        return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const review = this.book.get(node.proposal);
    if (review === undefined) return new vscode.TreeItem("");
    const { message } = review;
    switch (node.kind) {
      case "proposal":
        return proposalItem(review);
      case "candidates":
        return new vscode.TreeItem(vscode.l10n.t("Candidates ({0})", message.candidates.length), Collapsed);
      case "dissent":
        return new vscode.TreeItem(vscode.l10n.t("Dissent ({0})", message.dissent.length), Collapsed);
      case "candidate": {
        const candidate = message.candidates.find(({ id }) => id === node.candidate);
        return candidate === undefined ? new vscode.TreeItem("") : candidateItem(message, candidate, node);
      }
      case "objection": {
        const dissent = message.dissent[node.index];
        return dissent === undefined ? new vscode.TreeItem("") : objectionItem(dissent);
      }
      case "file": {
        const file = this.book.file(node.proposal, node.uri);
        return file === undefined ? new vscode.TreeItem("") : fileItem(review, file, node);
      }
      case "hunk": {
        const file = this.book.file(node.proposal, node.uri);
        const placed = file && placedHunks(review, file).find(({ hunk }) => hunk.id === node.hunk);
        return file === undefined || placed === undefined
          ? new vscode.TreeItem("")
          : hunkItem(review, file, placed, node);
      }
    }
  }
}

function proposalItem({ message }: Review): vscode.TreeItem {
  const item = new vscode.TreeItem(message.title, Expanded);
  item.id = message.proposal;
  item.contextValue = "proposal";
  const left = conflicts(message);
  const said = standing(message, vscode.l10n.t);
  item.description = left === 0 ? said : `${said} · ${vscode.l10n.t("{0} in conflict", left)}`;
  item.iconPath = new vscode.ThemeIcon(
    message.status === "verified"
      ? "verified-filled"
      : message.status === "agreed"
        ? "organization"
        : "question",
    message.status === "verified" && !message.weak ? new vscode.ThemeColor("testing.iconPassed") : undefined,
  );
  item.tooltip = `${message.title}\n${said}`;
  item.accessibilityInformation = { label: `${message.title}, ${item.description}` };
  return item;
}

function candidateItem(message: ProposalMessage, candidate: ProposalCandidate, node: Node): vscode.TreeItem {
  const item = new vscode.TreeItem(candidateTitle(candidate, vscode.l10n.t), None);
  const shown = candidate.id === message.candidate;
  item.contextValue = shown ? "candidateShown" : "candidate";
  item.description = candidateChecks(candidate);
  item.iconPath = new vscode.ThemeIcon(shown ? "circle-filled" : "circle-outline");
  item.tooltip = [candidate.members.join(", "), candidate.rejected].filter((line) => line !== "").join("\n");
  item.command = {
    command: "ensemble.ui.chooseCandidate",
    title: vscode.l10n.t("Show This Candidate"),
    arguments: [node],
  };
  item.accessibilityInformation = {
    label: shown ? vscode.l10n.t("{0}, shown", item.label as string) : (item.label as string),
    role: "radio",
  };
  return item;
}

function objectionItem(dissent: Dissent): vscode.TreeItem {
  const item = new vscode.TreeItem(dissent.text, None);
  item.description = `${dissent.member} (${dissent.family})`;
  item.tooltip = dissent.text;
  item.iconPath = new vscode.ThemeIcon("comment-discussion");
  return item;
}

function fileItem(review: Review, file: ProposalFile, node: Node): vscode.TreeItem {
  const uri = vscode.Uri.parse(file.uri);
  const folded = review.message.files.length >= FOLDED_FROM;
  const item = new vscode.TreeItem(uri, folded ? Collapsed : Expanded);
  const ticked = file.hunks.filter((hunk) => isTicked(review, file, hunk)).length;
  const { t } = vscode.l10n;
  const what = { change: "", create: t("new"), delete: t("deleted") }[file.kind];
  const count = t("{0} of {1}", ticked, file.hunks.length);
  const isMessage = uri.scheme === INPUT_BOX;
  const folder = isMessage ? "." : posix.dirname(vscode.workspace.asRelativePath(uri));
  item.label = nameOf(uri);
  if (isMessage) item.iconPath = new vscode.ThemeIcon("git-commit");
  item.description = [folder === "." ? "" : folder, what, file.conflict === "" ? count : file.conflict]
    .filter((part) => part !== "")
    .join(" · ");
  item.contextValue = "file";
  if (file.hunks.some((hunk) => canTick(file, hunk))) item.checkboxState = ticked > 0 ? Checked : Unchecked;
  if (file.conflict !== "") item.iconPath = new vscode.ThemeIcon("warning");
  item.command = {
    command: "ensemble.ui.openProposal",
    title: t("Show the Change"),
    arguments: [node],
  };
  return item;
}

function hunkItem(review: Review, file: ProposalFile, placed: PlacedHunk, node: Node): vscode.TreeItem {
  const { hunk } = placed;
  const { t } = vscode.l10n;
  const item = new vscode.TreeItem(hunkTitle(hunk, t), None);
  const isFree = canTick(file, hunk);
  item.description = isFree
    ? [hunkSize(hunk), evidenceInShort(hunk.evidence)].filter((part) => part !== "").join(" · ")
    : t("conflict: you changed these lines");
  item.contextValue = isFree ? "hunk" : "hunkInConflict";
  if (isFree) item.checkboxState = placed.ticked ? Checked : Unchecked;
  else item.iconPath = new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  item.tooltip = new vscode.MarkdownString(reasons(review.message, placed, "", t));
  item.command = {
    command: "ensemble.ui.openProposal",
    title: t("Show the Change"),
    arguments: [node],
  };
  return item;
}
