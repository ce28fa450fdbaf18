/** The Jobs view: what runs and what ran, what it came to and what it cost. */
import * as vscode from "vscode";
import { duration, money } from "../live/figures.js";
import type { JobBoard } from "../live/jobBoard.js";
import { words } from "../live/words.js";
import type { JobSummary } from "../protocol.js";
import type { Session } from "../session.js";
import { type ListedJob, listed } from "./jobList.js";

/** Milliseconds between two changes while a job runs. */
const PAUSE = 500;

const ICONS: Record<JobSummary["status"], vscode.ThemeIcon> = {
  running: new vscode.ThemeIcon("loading~spin"),
  done: new vscode.ThemeIcon("pass", new vscode.ThemeColor("testing.iconPassed")),
  nothing: new vscode.ThemeIcon("pass"),
  abstained: new vscode.ThemeIcon("question"),
  cancelled: new vscode.ThemeIcon("circle-slash"),
  failed: new vscode.ThemeIcon("error", new vscode.ThemeColor("testing.iconFailed")),
  overBudget: new vscode.ThemeIcon("credit-card", new vscode.ThemeColor("list.warningForeground")),
  lost: new vscode.ThemeIcon("debug-disconnect"),
};

export class JobsView implements vscode.TreeDataProvider<ListedJob>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private readonly subscriptions: vscode.Disposable[];
  private readonly view: vscode.TreeView<ListedJob>;
  private kept: readonly JobSummary[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly session: Session,
    private readonly board: JobBoard,
  ) {
    this.view = vscode.window.createTreeView("ensemble.jobs", { treeDataProvider: this });
    this.subscriptions = [
      this.view,
      this.changes,
      board.onEvent(({ event }) => {
        if (event.kind === "finished") void this.refresh();
        else this.soon();
      }),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) void this.refresh();
      }),
      session.onState(({ kind }) => {
        if (kind === "running" && this.view.visible) void this.refresh();
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** Read the list anew. */
  async refresh(): Promise<void> {
    try {
      this.kept = (await this.session.execute("ensemble.jobs", {})).jobs;
      this.view.message = "";
    } catch (problem) {
      this.view.message = problem instanceof Error ? problem.message : String(problem);
    }
    this.changes.fire(undefined);
  }

  getChildren(): ListedJob[] {
    return listed(this.kept, this.board.all());
  }

  getTreeItem(job: ListedJob): vscode.TreeItem {
    const { t } = vscode.l10n;
    const all = words(t);
    const action = job.action === undefined ? "" : (all.actions[job.action] ?? job.action);
    const item = new vscode.TreeItem([action, job.title].filter(Boolean).join(" · ") || all.starting);
    const statuses: Record<string, string> = { ...all.statuses, running: t("Running"), lost: t("Lost") };
    const status = statuses[job.status] ?? job.status;
    item.id = job.job;
    item.iconPath = ICONS[job.status];
    item.contextValue = job.status === "running" ? "job.running" : "job.ended";
    item.description = [status, job.usd > 0 ? money(job.usd) : "", duration(job.seconds)]
      .filter(Boolean)
      .join(" · ");
    item.tooltip = `${item.label as string}\n${item.description}\n${new Date(job.started * 1000).toLocaleString()}`;
    item.accessibilityInformation = { label: `${item.label as string}, ${item.description}` };
    item.command = { command: "ensemble.ui.showLive", title: t("Show the panel at work"), arguments: [job] };
    return item;
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.changes.fire(undefined);
    }, PAUSE);
  }
}
