/** The review of proposals: view, diffs, commands. */
import * as vscode from "vscode";
import type { ServerCommands } from "../client/serverCommands.js";
import type { Session } from "../session.js";
import { arrive, Typing } from "./arrival.js";
import { SCHEME } from "./addresses.js";
import { ProposalBook } from "./book.js";
import { registerProposalCommands } from "./commands.js";
import { Diffs } from "./diffs.js";
import { Hints } from "./hints.js";
import { ProposalTexts } from "./texts.js";
import { ProposalTree } from "./tree.js";
import type { Node } from "./tree.js";

/** How many proposals wait: menus and keys look at it. */
const WAITING = "ensemble.proposals";

/** Whether all files of a proposal are in front, below each other. */
const ALL_FILES = "ensemble.allFiles";

export function registerProposals(
  context: vscode.ExtensionContext,
  session: Session,
  commands: ServerCommands,
): ProposalBook {
  const book = new ProposalBook(session);
  const diffs = new Diffs(book);
  const texts = new ProposalTexts(session, book);
  const tree = new ProposalTree(book);
  const typing = new Typing(session, commands);
  const view = vscode.window.createTreeView<Node>("ensemble.proposal", {
    treeDataProvider: tree,
    manageCheckboxStateManually: true,
    showCollapseAll: true,
  });
  let allFiles = false;
  const look = (): void => {
    const now = diffs.allFiles() !== undefined;
    if (now === allFiles) return;
    allFiles = now;
    void vscode.commands.executeCommand("setContext", ALL_FILES, now);
  };
  context.subscriptions.push(
    book,
    vscode.window.tabGroups.onDidChangeTabs(look),
    vscode.window.tabGroups.onDidChangeTabGroups(look),
    texts,
    tree,
    typing,
    view,
    new Hints(book),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, texts),
    view.onDidChangeCheckboxState(({ items }) => {
      for (const [node, state] of items) tick(book, node, state === vscode.TreeItemCheckboxState.Checked);
    }),
    // From the light bulb: whether anything is left to decide only the server knows.
    commands.onDone(({ argument }) => {
      if ("proposal" in argument) void book.refresh(String(argument.proposal));
    }),
    book.onChange((change) => {
      const waiting = book.all.length;
      void vscode.commands.executeCommand("setContext", WAITING, waiting);
      view.badge =
        waiting === 0
          ? undefined
          : {
              value: waiting,
              tooltip: waiting === 1 ? vscode.l10n.t("1 proposal") : vscode.l10n.t("{0} proposals", waiting),
            };
      if (change.kind === "arrived") void arrive(change.proposal, book, diffs, typing);
      else if (change.kind === "gone") void diffs.close(change.proposal);
      look();
    }),
    registerProposalCommands(book, diffs, tree, view),
  );
  return book;
}

function tick(book: ProposalBook, node: Node, on: boolean): void {
  if (node.kind === "hunk") book.tick(node.proposal, [node.hunk], on);
  else if (node.kind === "file") {
    const hunks = book.file(node.proposal, node.uri)?.hunks ?? [];
    book.tick(
      node.proposal,
      hunks.map((hunk) => hunk.id),
      on,
    );
  }
}
