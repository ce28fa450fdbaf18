/** Both sides of a diff, as the server says they are: the live text, and the file with what is ticked. */
import * as vscode from "vscode";
import { INPUT_BOX } from "../inputBox.js";
import type { Session } from "../session.js";
import { addressIn, queryOf, SCHEME } from "./addresses.js";
import type { Change, ProposalBook } from "./book.js";
import type { Side } from "./review.js";
import { tickedHunks } from "./review.js";

export class ProposalTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  /** What was shown last, for tabs that outlive their proposal. */
  private readonly last = new Map<string, string>();
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly session: Session,
    private readonly book: ProposalBook,
  ) {
    this.subscription = book.onChange((change) => this.announce(change));
  }

  static address(proposal: string, uri: string, side: Side): vscode.Uri {
    const of = vscode.Uri.parse(uri);
    // Not git's own name for it: VS Code would offer to commit.
    const path = of.scheme === INPUT_BOX ? "/commit-message.txt" : of.path;
    return vscode.Uri.from({ scheme: SCHEME, path, query: queryOf({ proposal, uri, side }) });
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const key = uri.toString();
    const address = addressIn(uri.scheme, uri.query);
    const review = address === undefined ? undefined : this.book.get(address.proposal);
    if (address === undefined || review === undefined) return this.last.get(key) ?? "";
    const { text } = await this.session.request(
      "ensemble/proposalText",
      {
        proposal: address.proposal,
        uri: address.uri,
        candidate: review.message.candidate,
        hunks: address.side === "before" ? [] : tickedHunks(review, address.uri),
      },
      token,
    );
    this.last.set(key, text);
    return text;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changes.dispose();
  }

  private announce(change: Change): void {
    if (change.kind === "gone") return;
    for (const document of vscode.workspace.textDocuments) {
      const address = addressIn(document.uri.scheme, document.uri.query);
      if (address?.proposal === change.proposal && change.uris.has(address.uri))
        this.changes.fire(document.uri);
    }
    const open = new Set(vscode.workspace.textDocuments.map((document) => document.uri.toString()));
    for (const key of this.last.keys()) if (!open.has(key)) this.last.delete(key);
  }
}
