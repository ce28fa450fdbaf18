/** The Panel view: who would sit, why, at what price, with which keys. */
import * as vscode from "vscode";
import { money } from "../live/figures.js";
import type { PanelSeat } from "../protocol.js";
import type { PanelWatch } from "./panelWatch.js";

interface Line {
  readonly kind: "line";
  readonly label: string;
  readonly description?: string;
  readonly icon: vscode.ThemeIcon;
  readonly tooltip?: string;
  readonly contextValue?: string;
}

type Node = PanelSeat | Line;

export class PanelView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly watch: PanelWatch) {
    this.view = vscode.window.createTreeView<Node>("ensemble.panel", { treeDataProvider: this });
    this.subscriptions = [
      this.view,
      this.changes,
      watch.onChange(() => this.show()),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) void watch.refresh();
      }),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  getChildren(node?: Node): Node[] {
    const panel = this.watch.panel;
    if (panel === undefined) return [];
    if (node === undefined) return [...panel.seats, ...panel.notes.map(note)];
    return "kind" in node ? [] : details(node);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ("kind" in node) {
      const item = new vscode.TreeItem(node.label);
      item.iconPath = node.icon;
      if (node.description !== undefined) item.description = node.description;
      if (node.tooltip !== undefined) item.tooltip = node.tooltip;
      if (node.contextValue !== undefined) item.contextValue = node.contextValue;
      return item;
    }
    const { t } = vscode.l10n;
    const item = new vscode.TreeItem(node.id, vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `seat:${node.role}:${node.id}`;
    item.iconPath = new vscode.ThemeIcon(
      isMissing(node) ? "warning" : node.local ? "device-desktop" : "cloud",
    );
    const role = { anchor: t("anchor"), member: "", strong: t("asked last") }[node.role];
    item.description = [node.family, role, price(node)].filter(Boolean).join(" · ");
    item.tooltip = [node.model, node.why, node.recipient].filter(Boolean).join("\n");
    item.accessibilityInformation = { label: `${node.id}, ${item.description}, ${node.key}` };
    item.contextValue = isMissing(node) ? "seat.keyMissing" : "seat";
    return item;
  }

  private show(): void {
    const { t } = vscode.l10n;
    const panel = this.watch.panel;
    this.view.description =
      panel === undefined ? "" : t("{0} of {1} today", money(panel.spentTodayUsd), money(panel.dayUsd));
    this.view.message = panel === undefined ? this.watch.problem : "";
    this.changes.fire(undefined);
  }
}

export function isMissing(seat: PanelSeat): boolean {
  return seat.key.endsWith("is missing");
}

/** Dollars per million tokens in and out. */
export function price(seat: PanelSeat): string {
  const { t } = vscode.l10n;
  const { priceIn, priceOut } = seat;
  if (seat.local && (priceIn ?? 0) + (priceOut ?? 0) === 0) return t("free");
  if (priceIn === undefined || priceOut === undefined) return t("price not known");
  return t("${0} in, ${1} out per million", priceIn, priceOut);
}

function details(seat: PanelSeat): Line[] {
  const { t } = vscode.l10n;
  const line = (label: string, description: string, icon: string): Line => ({
    kind: "line",
    label,
    description,
    icon: new vscode.ThemeIcon(icon),
    tooltip: description,
  });
  return [
    line(t("Model"), seat.model, "symbol-namespace"),
    line(t("Why"), seat.why, "info"),
    line(t("Key"), seat.key, isMissing(seat) ? "warning" : "key"),
    line(
      t("Code goes to"),
      seat.recipient || t("nobody: it stays on this machine"),
      seat.local ? "lock" : "cloud-upload",
    ),
  ];
}

function note(text: string): Line {
  const missing = /_[A-Z]+ is (?:missing|not set)/.test(text);
  return {
    kind: "line",
    label: text,
    icon: new vscode.ThemeIcon(missing ? "warning" : "note"),
    tooltip: text,
    ...(missing ? { contextValue: "seat.keyMissing" } : {}),
  };
}
