/** In the diff itself: what stands behind each hunk, at the end of its first line; the reasons as a hover. */
import * as vscode from "vscode";
import { addressIn, SCHEME } from "./addresses.js";
import type { ProposalBook } from "./book.js";
import { reasons } from "./reasons.js";
import { hunkAt, placedHunks } from "./review.js";
import { evidenceInShort } from "./words.js";

/** Commands that a hover may link to; nothing else is ever run from one. */
const LINKED = ["ensemble.ui.acceptHunk", "ensemble.ui.toggleHunk"];

export class Hints implements vscode.HoverProvider, vscode.Disposable {
  private readonly decoration = vscode.window.createTextEditorDecorationType({
    after: {
      color: new vscode.ThemeColor("editorCodeLens.foreground"),
      fontStyle: "italic",
      margin: "0 0 0 3em",
    },
  });
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly book: ProposalBook) {
    const all = (): void => vscode.window.visibleTextEditors.forEach((editor) => this.decorate(editor));
    this.subscriptions = [
      this.decoration,
      vscode.languages.registerHoverProvider({ scheme: SCHEME }, this),
      vscode.window.onDidChangeVisibleTextEditors(all),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === SCHEME) all();
      }),
      book.onChange(all),
    ];
  }

  provideHover(document: vscode.TextDocument, position: vscode.Position): vscode.Hover | undefined {
    const address = addressIn(document.uri.scheme, document.uri.query);
    const review = address && this.book.get(address.proposal);
    const file = address && this.book.file(address.proposal, address.uri);
    if (address === undefined || review === undefined || file === undefined) return undefined;
    const placed = hunkAt(placedHunks(review, file), address.side, position.line);
    if (placed === undefined) return undefined;
    const argument = encodeURIComponent(
      JSON.stringify([{ kind: "hunk", proposal: address.proposal, uri: address.uri, hunk: placed.hunk.id }]),
    );
    const { t } = vscode.l10n;
    const links = placed.hunk.conflict
      ? []
      : [
          `[${t("Accept")}](command:ensemble.ui.acceptHunk?${argument})`,
          `[${placed.ticked ? t("Leave Out") : t("Take In")}](command:ensemble.ui.toggleHunk?${argument})`,
        ];
    const text = new vscode.MarkdownString(reasons(review.message, placed, links.join(" | "), t));
    text.isTrusted = { enabledCommands: LINKED };
    const { start, end } = placed[address.side];
    return new vscode.Hover(
      text,
      document.validateRange(new vscode.Range(start, 0, Math.max(end - 1, start), 10_000)),
    );
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private decorate(editor: vscode.TextEditor): void {
    const address = addressIn(editor.document.uri.scheme, editor.document.uri.query);
    if (address?.side !== "after") return;
    const review = this.book.get(address.proposal);
    const file = this.book.file(address.proposal, address.uri);
    const placed = review === undefined || file === undefined ? [] : placedHunks(review, file);
    editor.setDecorations(
      this.decoration,
      placed
        .filter(({ after }) => after.start < editor.document.lineCount)
        .map(({ hunk, ticked, after }): vscode.DecorationOptions => {
          const { t } = vscode.l10n;
          const words = hunk.conflict
            ? t("conflict")
            : ticked
              ? evidenceInShort(hunk.evidence)
              : t("left out");
          const { range } = editor.document.lineAt(after.start);
          return {
            range: new vscode.Range(range.end, range.end),
            renderOptions: { after: { contentText: words.replaceAll(/\s+/g, " ") } },
          };
        }),
    );
  }
}
