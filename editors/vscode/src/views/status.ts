/** The status bar: the job that runs, else what was spent today of the day's cap. */
import * as vscode from "vscode";
import { fileOf, money, progressOf, spentOn, tokensOf } from "../live/figures.js";
import type { JobBoard } from "../live/jobBoard.js";
import type { JobState } from "../live/state.js";
import { tokensInWords, words } from "../live/words.js";
import type { Session } from "../session.js";
import type { PanelWatch } from "./panelWatch.js";

/** Milliseconds between two changes while a job runs. */
const PAUSE = 250;

export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly session: Session,
    private readonly board: JobBoard,
    private readonly watch: PanelWatch,
  ) {
    this.item = vscode.window.createStatusBarItem("ensemble", vscode.StatusBarAlignment.Left, 10);
    this.item.name = "Ensemble";
    this.subscriptions = [
      this.item,
      session.onState(() => this.soon()),
      board.onEvent(() => this.soon()),
      watch.onChange(() => this.soon()),
    ];
    this.update();
    this.item.show();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.update();
    }, PAUSE);
  }

  private update(): void {
    const { t } = vscode.l10n;
    const { kind } = this.session.state;
    const running = this.board.running();
    const newest = running[0];
    this.item.backgroundColor = undefined;
    if (kind === "missing" || kind === "failed") {
      this.set("$(warning) Ensemble", t("The Ensemble server does not run"), "ensemble.ui.doctor");
      this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
    } else if (kind === "starting")
      this.set("$(loading~spin) Ensemble", t("The Ensemble server starts"), "ensemble.ui.showLog");
    else if (newest !== undefined) this.running(newest, running.length);
    else this.idle();
  }

  private running(state: JobState, jobs: number): void {
    const { t } = vscode.l10n;
    const all = words(t);
    const action = state.action === undefined ? "Ensemble" : (all.actions[state.action] ?? state.action);
    const phase = state.phase === undefined ? "" : (all.phases[state.phase] ?? "");
    const tokens = state.lanes.reduce((total, lane) => total + tokensOf(lane), 0);
    const parts = [
      [action, fileOf(state)].filter(Boolean).join(" "),
      phase.toLowerCase(),
      tokens > 0 ? tokensInWords(all, tokens) : "",
      spentOn(state) > 0 ? money(spentOn(state)) : "",
      jobs > 1 ? t("{0} jobs", jobs) : "",
    ].filter(Boolean);
    const percent = Math.round(progressOf(state) * 100);
    this.set(
      `$(loading~spin) ${parts.join(" · ")}`,
      `${parts.join(", ")}, ${percent} %. ${this.day()}`,
      "ensemble.ui.showLive",
    );
  }

  private idle(): void {
    const panel = this.watch.panel;
    const spent = panel === undefined ? "" : ` ${money(panel.spentTodayUsd)} / ${money(panel.dayUsd)}`;
    this.set(`$(organization) Ensemble${spent}`, this.day(), "ensemble.ui.menu");
    if (panel !== undefined && panel.dayUsd > 0 && panel.spentTodayUsd >= panel.dayUsd) {
      this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
    }
  }

  private day(): string {
    const panel = this.watch.panel;
    if (panel === undefined)
      return vscode.l10n.t("Ensemble: what was spent today is known after the first job");
    return vscode.l10n.t("Ensemble: {0} spent today of {1}", money(panel.spentTodayUsd), money(panel.dayUsd));
  }

  private set(text: string, tooltip: string, command: string): void {
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: tooltip };
  }
}
