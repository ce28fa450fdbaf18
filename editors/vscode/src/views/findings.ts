/** The Findings view: what the panel found, by file or by confidence. */
import * as vscode from "vscode";
import type { ServerCommands } from "../client/serverCommands.js";
import type { JobBoard } from "../live/jobBoard.js";
import type { Finding, Severity } from "../protocol.js";
import {
  type Group,
  type Grouping,
  PLACES,
  type ShownFinding,
  backs,
  grouped,
  isVerified,
} from "./findingList.js";

/** Findings whose details are remembered: those of the newest jobs. */
const REMEMBERED = 2_000;

/** Times that the places of a fault are brought into view: each is of a tree that was not drawn anew meanwhile. */
const ATTEMPTS = 5;

const OURS = "ensemble";
const GROUPING = "ensemble.findings.grouping";
const VERIFIED_ONLY = "ensemble.findings.verifiedOnly";

const SEVERITIES: Record<vscode.DiagnosticSeverity, Severity> = {
  [vscode.DiagnosticSeverity.Error]: "critical",
  [vscode.DiagnosticSeverity.Warning]: "warning",
  [vscode.DiagnosticSeverity.Information]: "info",
  [vscode.DiagnosticSeverity.Hint]: "hint",
};

const ICONS: Record<Severity, vscode.ThemeIcon> = {
  critical: new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground")),
  warning: new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground")),
  info: new vscode.ThemeIcon("info"),
  hint: new vscode.ThemeIcon("lightbulb"),
};

type Node = Group | ShownFinding;

export class FindingsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly details = new Map<string, { finding: Finding; job: string }>();
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: vscode.Disposable[];
  private groups: Group[] = [];
  /** A search for a fault that ended: its places are brought into view once they are there. */
  private expected: string | undefined;

  constructor(
    board: JobBoard,
    private readonly state: vscode.Memento,
  ) {
    this.view = vscode.window.createTreeView<Node>("ensemble.findings", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.subscriptions = [
      this.view,
      this.changes,
      board.onEvent(({ event }) => {
        if (event.kind === "finding") this.remember(event.finding, event.job);
        else if (event.kind === "finished") {
          this.expected = board.get(event.job)?.action === "locate" ? event.job : undefined;
          this.refresh();
        }
      }),
      vscode.languages.onDidChangeDiagnostics(() => this.refresh()),
    ];
    this.refresh();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** What is known of a finding. */
  detail(id: string): Finding | undefined {
    return this.details.get(id)?.finding;
  }

  /** A finding where it is shown now. */
  find(id: string): ShownFinding | undefined {
    return this.all().find((each) => each.id === id);
  }

  async group(by: Grouping): Promise<void> {
    await this.state.update(GROUPING, by);
    this.refresh();
  }

  async showVerifiedOnly(only: boolean): Promise<void> {
    await this.state.update(VERIFIED_ONLY, only);
    this.refresh();
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return this.groups;
    return "findings" in node ? [...node.findings] : [];
  }

  getParent(node: Node): Node | undefined {
    // By what it is, not as an object: the tree is drawn anew while a node of the last one is looked for.
    if ("findings" in node) return undefined;
    return this.groups.find((group) =>
      group.findings.some((each) => each.id === node.id && each.uri === node.uri),
    );
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return "findings" in node ? this.groupItem(node) : this.findingItem(node);
  }

  private refresh(): void {
    const grouping = this.state.get<Grouping>(GROUPING, "file");
    const verifiedOnly = this.state.get<boolean>(VERIFIED_ONLY, false);
    void vscode.commands.executeCommand("setContext", GROUPING, grouping);
    void vscode.commands.executeCommand("setContext", VERIFIED_ONLY, verifiedOnly);
    const all = this.all();
    this.groups = grouped(all, { grouping, verifiedOnly });
    const shown = this.groups.reduce((total, group) => total + group.findings.length, 0);
    const { t } = vscode.l10n;
    this.view.badge = shown === 0 ? undefined : { value: shown, tooltip: counted(shown) };
    this.view.description = verifiedOnly ? t("verified only") : "";
    this.view.message =
      shown === 0 && all.length > 0
        ? all.length === 1
          ? t("1 finding is not shown: nothing verified it.")
          : t("{0} findings are not shown: nothing verified them.", all.length)
        : "";
    this.changes.fire(undefined);
    void this.bringIntoView();
  }

  private async bringIntoView(): Promise<void> {
    const job = this.expected;
    if (job === undefined || this.placeOf(job) === undefined) return;
    this.expected = undefined;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const place = this.placeOf(job);
      if (place === undefined) return;
      try {
        await this.view.reveal(place, { select: true, focus: false });
        return;
      } catch {
        // Diagnostics changed while it was looked for, so that the tree holds other nodes now.
      }
    }
    // At least the view comes up, if the place in it cannot be selected.
    await vscode.commands.executeCommand("ensemble.findings.focus", { preserveFocus: true });
  }

  /** The first place that a search for a fault came to, as the tree has it now. */
  private placeOf(job: string): ShownFinding | undefined {
    const first = this.groups.find((group) => group.key === PLACES)?.findings[0];
    return first !== undefined && this.details.get(first.id)?.job === job ? first : undefined;
  }

  private remember(finding: Finding, job: string): void {
    this.details.delete(finding.id);
    this.details.set(finding.id, { finding, job });
    for (const id of this.details.keys()) {
      if (this.details.size <= REMEMBERED) break;
      this.details.delete(id);
    }
  }

  private all(): ShownFinding[] {
    return vscode.languages.getDiagnostics().flatMap(([uri, diagnostics]) =>
      diagnostics
        .filter((diagnostic) => diagnostic.source === OURS)
        .flatMap((diagnostic) => {
          const id = idOf(diagnostic);
          return id === undefined ? [] : [this.shown(uri, diagnostic, id)];
        }),
    );
  }

  private shown(uri: vscode.Uri, diagnostic: vscode.Diagnostic, id: string): ShownFinding {
    const code = typeof diagnostic.code === "object" ? diagnostic.code.value : (diagnostic.code ?? "");
    return {
      id,
      uri: uri.toString(),
      line: diagnostic.range.start.line,
      column: diagnostic.range.start.character,
      message: diagnostic.message,
      severity: SEVERITIES[diagnostic.severity],
      category: String(code),
      finding: this.detail(id),
    };
  }

  private groupItem(group: Group): vscode.TreeItem {
    const { t } = vscode.l10n;
    const bands: Record<string, string> = {
      high: t("High confidence"),
      medium: t("Medium confidence"),
      low: t("Low confidence"),
      [PLACES]: t("Where the fault may be"),
    };
    const band = bands[group.key];
    const state = vscode.TreeItemCollapsibleState.Expanded;
    let item: vscode.TreeItem;
    if (band === undefined) {
      const uri = vscode.Uri.parse(group.key);
      item = new vscode.TreeItem(uri, state);
      item.iconPath = vscode.ThemeIcon.File;
      const path = vscode.workspace.asRelativePath(uri);
      item.description = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    } else item = new vscode.TreeItem(band, state);
    item.id = `group:${group.key}`;
    const count = group.findings.length;
    item.accessibilityInformation = {
      label: `${band ?? vscode.workspace.asRelativePath(vscode.Uri.parse(group.key))}: ${counted(count)}`,
    };
    return item;
  }

  private findingItem(shown: ShownFinding): vscode.TreeItem {
    const { t } = vscode.l10n;
    const { finding } = shown;
    const item = new vscode.TreeItem(finding?.title ?? shown.message);
    item.id = `finding:${shown.uri}:${shown.id}`;
    item.contextValue = "finding";
    item.iconPath = ICONS[shown.severity];
    const place = `${vscode.workspace.asRelativePath(vscode.Uri.parse(shown.uri))}:${shown.line + 1}`;
    const grouping = this.state.get<Grouping>(GROUPING, "file");
    const isBelowItsFile = grouping === "file" && shown.category !== PLACES;
    const where = isBelowItsFile ? t("line {0}", shown.line + 1) : place;
    const why = finding === undefined ? "" : finding.reason;
    item.description = [where, isVerified(shown) ? t("verified") : "", why].filter(Boolean).join(" · ");
    item.tooltip = tooltip(shown);
    item.command = { command: "ensemble.ui.goToFinding", title: t("Go to the finding"), arguments: [shown] };
    item.accessibilityInformation = {
      label: `${shown.severity}: ${finding?.title ?? shown.message}, ${place}`,
    };
    return item;
  }
}

/** The finding's id, which the server sends with its diagnostics. */
export function idOf(diagnostic: vscode.Diagnostic): string | undefined {
  const data = (diagnostic as { data?: unknown }).data;
  return typeof data === "string" ? data : undefined;
}

/** What members wrote is appended as text: a link or an image in it stays its characters. */
function tooltip(shown: ShownFinding): vscode.MarkdownString {
  const { t } = vscode.l10n;
  const text = new vscode.MarkdownString();
  const { finding } = shown;
  if (finding === undefined) return text.appendText(shown.message);
  text.appendText(finding.title).appendMarkdown("\n\n").appendText(finding.detail);
  const said = `${finding.families.join(", ")} · ${t("confidence {0} %", Math.round(finding.confidence * 100))}`;
  text.appendMarkdown("\n\n").appendText(said);
  for (const evidence of finding.evidence.filter(backs)) {
    text.appendMarkdown("\n\n").appendText(`${evidence.witness}: ${evidence.summary}`);
  }
  for (const dissent of finding.dissent) {
    text.appendMarkdown("\n\n").appendText(t("{0} objects: {1}", dissent.member, dissent.text));
  }
  return text;
}

export function registerFindings(
  context: vscode.ExtensionContext,
  board: JobBoard,
  commands: ServerCommands,
): FindingsView {
  const { registerCommand } = vscode.commands;
  const view = new FindingsView(board, context.workspaceState);
  context.subscriptions.push(
    view,
    commands.fill("ensemble.dismiss", async (argument) => {
      if (argument.reason !== undefined) return argument;
      const reason = await askReason(view.detail(argument.finding)?.title);
      return reason === undefined ? undefined : { ...argument, reason };
    }),
    registerCommand("ensemble.ui.goToFinding", (shown: ShownFinding) => goTo(shown)),
    registerCommand("ensemble.ui.dismissFinding", (shown: ShownFinding) =>
      commands.run("ensemble.dismiss", { finding: shown.id }),
    ),
    registerCommand("ensemble.ui.fixFinding", (shown: ShownFinding) => {
      const place = { line: shown.line, character: shown.column };
      const range = { start: place, end: place };
      return commands.run("ensemble.fix", { uri: shown.uri, range, finding: shown.id });
    }),
    registerCommand("ensemble.ui.groupByFile", () => view.group("file")),
    registerCommand("ensemble.ui.groupByConfidence", () => view.group("confidence")),
    registerCommand("ensemble.ui.showVerifiedOnly", () => view.showVerifiedOnly(true)),
    registerCommand("ensemble.ui.showAllFindings", () => view.showVerifiedOnly(false)),
  );
  return view;
}

function counted(findings: number): string {
  return findings === 1 ? vscode.l10n.t("1 finding") : vscode.l10n.t("{0} findings", findings);
}

export async function goTo(shown: ShownFinding): Promise<void> {
  const place = new vscode.Position(shown.line, shown.column);
  await vscode.window.showTextDocument(vscode.Uri.parse(shown.uri), {
    selection: new vscode.Range(place, place),
  });
}

/** Why a finding is dismissed: the panel learns from it. Undefined when the person backed out. */
async function askReason(title: string | undefined): Promise<string | undefined> {
  const { t } = vscode.l10n;
  const other = "other";
  const chosen = await vscode.window.showQuickPick(
    [
      { label: t("It is wrong"), description: t("the code does not do this"), reason: "wrong" },
      { label: t("It will not be fixed"), description: t("true, but accepted here"), reason: "wontfix" },
      { label: t("It is a matter of style"), description: t("neither right nor wrong"), reason: "style" },
      { label: t("Another reason…"), description: "", reason: other },
    ],
    { title: t("Dismiss: {0}", title ?? t("this finding")), placeHolder: t("Why?") },
  );
  if (chosen?.reason !== other) return chosen?.reason;
  const text = await vscode.window.showInputBox({ title: t("Why is it dismissed?") });
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
