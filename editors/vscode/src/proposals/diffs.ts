/** Diff editors of proposals: opening them, walking through hunks, finding the hunk at the cursor, closing them. */
import * as vscode from "vscode";
import type { Address } from "./addresses.js";
import { addressIn } from "./addresses.js";
import type { ProposalBook } from "./book.js";
import { nameOf } from "./names.js";
import type { PlacedHunk, Review } from "./review.js";
import { hunkAt, placedHunks, step, stops } from "./review.js";
import { ProposalTexts } from "./texts.js";

/** A hunk that a command is about. */
export interface Target {
  readonly proposal: string;
  readonly uri: string;
  readonly placed: PlacedHunk;
}

export class Diffs {
  constructor(private readonly book: ProposalBook) {}

  /** The diff under the cursor, if the active editor is one of ours. */
  active(): (Address & { readonly line: number }) | undefined {
    const editor = vscode.window.activeTextEditor;
    const address = editor && addressIn(editor.document.uri.scheme, editor.document.uri.query);
    return address === undefined || editor === undefined
      ? undefined
      : { ...address, line: editor.selection.active.line };
  }

  /** The proposal whose files are all in front, below each other. */
  allFiles(): string | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const isOne = tab === undefined || tab.input instanceof vscode.TabInputTextDiff;
    return isOne ? undefined : proposalsIn(tab).find((each) => this.book.get(each) !== undefined);
  }

  /** The hunk at the cursor. */
  target(): Target | undefined {
    const here = this.active();
    const review = here && this.book.get(here.proposal);
    const file = here && this.book.file(here.proposal, here.uri);
    if (here === undefined || review === undefined || file === undefined) return undefined;
    const placed = hunkAt(placedHunks(review, file), here.side, here.line);
    return placed && { proposal: here.proposal, uri: here.uri, placed };
  }

  /** A hunk by its id. */
  find(proposal: string, uri: string, hunk: string): Target | undefined {
    const review = this.book.get(proposal);
    const file = this.book.file(proposal, uri);
    const placed = review && file && placedHunks(review, file).find((each) => each.hunk.id === hunk);
    return placed && { proposal, uri, placed };
  }

  /** Show a file's diff with the cursor on one of its hunks (the first by default). */
  async open(proposal: string, uri?: string, hunk?: string, preserveFocus = false): Promise<void> {
    const review = this.book.get(proposal);
    if (review === undefined) return;
    const file =
      uri === undefined
        ? review.message.files.find((each) => each.hunks.length > 0)
        : this.book.file(proposal, uri);
    if (file === undefined) return;
    const placed = placedHunks(review, file);
    const wanted = placed.find((each) => each.hunk.id === hunk) ?? placed[0];
    const line = wanted?.after.start ?? 0;
    await vscode.commands.executeCommand(
      "vscode.diff",
      ProposalTexts.address(proposal, file.uri, "before"),
      ProposalTexts.address(proposal, file.uri, "after"),
      diffTitle(file.uri),
      { selection: new vscode.Range(line, 0, line, 0), preserveFocus, preview: true },
    );
  }

  /** Show all files below each other. */
  async openAll(proposal: string): Promise<void> {
    const review = this.book.get(proposal);
    if (review === undefined) return;
    const files = review.message.files.filter((file) => file.hunks.length > 0);
    await vscode.commands.executeCommand(
      "vscode.changes",
      review.message.title,
      files.map((file) => [
        vscode.Uri.parse(file.uri),
        ProposalTexts.address(proposal, file.uri, "before"),
        ProposalTexts.address(proposal, file.uri, "after"),
      ]),
    );
  }

  /** Go to the next hunk, or the one before, across files. */
  async walk(proposal: string, direction: 1 | -1): Promise<void> {
    const review = this.book.get(proposal);
    const here = this.active();
    const next = review && step(review, here?.proposal === proposal ? here : undefined, direction);
    if (next !== undefined) await this.open(proposal, next.file.uri, next.placed.hunk.id);
  }

  /** After a hunk was dealt with: stay where the next one is. */
  async follow(review: Review, uri: string): Promise<void> {
    const rest = stops(review);
    const next = rest.find((stop) => stop.file.uri === uri) ?? rest[0];
    if (next !== undefined) {
      await this.open(review.message.proposal, next.file.uri, next.placed.hunk.id);
    }
  }

  /** Close the tabs of a proposal. */
  async close(proposal: string): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => proposalsIn(tab).includes(proposal));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }
}

/** The proposals whose diffs a tab shows: one, or none; that of all files has a diff for each of them. */
function proposalsIn({ input }: vscode.Tab): string[] {
  const diffs = input instanceof vscode.TabInputTextDiff ? [input] : diffsOf(input);
  return diffs.flatMap(({ modified }) => addressIn(modified.scheme, modified.query)?.proposal ?? []);
}

/** The diffs of a tab that shows several; its class is not among those that extensions may name. */
function diffsOf(input: unknown): readonly vscode.TabInputTextDiff[] {
  const { textDiffs } = (input ?? {}) as { readonly textDiffs?: readonly vscode.TabInputTextDiff[] };
  return textDiffs ?? [];
}

function diffTitle(uri: string): string {
  return vscode.l10n.t("{0} (proposal)", nameOf(vscode.Uri.parse(uri)));
}
