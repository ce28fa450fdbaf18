/** Puts the views together: live view, jobs, findings, panel, status bar, keys, walkthrough. */
import * as vscode from "vscode";
import { messageBox } from "../actions/commitMessage.js";
import type { ServerCommands } from "../client/serverCommands.js";
import { JobBoard } from "../live/jobBoard.js";
import { LiveView, type LiveActions } from "../live/liveView.js";
import { rerun } from "../live/rerun.js";
import type { JobState } from "../live/state.js";
import type { Session } from "../session.js";
import { type FindingsView, goTo, registerFindings } from "./findings.js";
import type { ListedJob } from "./jobList.js";
import { JobsView } from "./jobs.js";
import { askForKey, forgetKey } from "./keyDialogs.js";
import { type Keys, namesIn } from "./keys.js";
import { PanelView, isMissing } from "./panel.js";
import { PanelWatch } from "./panelWatch.js";
import { StatusItem } from "./status.js";
import { Sample } from "./walkthrough.js";

const WALKTHROUGH = "ensemble-lsp.ensemble-lsp#ensemble.start";

/** Whether a job runs: what menus and keys look at. */
const WORKING = "ensemble.working";

export function registerViews(
  context: vscode.ExtensionContext,
  session: Session,
  commands: ServerCommands,
  keys: Keys,
): JobBoard {
  const board = new JobBoard(session);
  const watch = new PanelWatch(session, board);
  const findings = registerFindings(context, board, commands);
  const jobs = new JobsView(session, board);
  const actions = new JobActions(session, commands, board, findings);
  const live = new LiveView(context.extensionUri, session, board, actions);
  const sample = new Sample(context, session, commands);
  actions.started = (job) => void live.show(job).catch(() => undefined);
  context.subscriptions.push(
    board,
    watch,
    jobs,
    live,
    new PanelView(watch),
    new StatusItem(session, board, watch),
    commands.onJob(({ job, asked }) => board.begin(job, asked / 1000)),
    board.onEvent(({ state, event }) => {
      if (event.kind === "started") greet(live, state);
      if (event.kind === "started" || event.kind === "finished") {
        void vscode.commands.executeCommand("setContext", WORKING, board.running().length > 0);
      }
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("ensemble")) watch.refreshSoon();
    }),
  );
  const { registerCommand } = vscode.commands;
  const onJob = (button: Parameters<LiveActions["press"]>[0]) => (from?: ListedJob) => {
    const job = from?.job ?? (live.shown || board.all()[0]?.job);
    return job === undefined ? undefined : actions.press(button, job);
  };
  context.subscriptions.push(
    registerCommand("ensemble.ui.showLive", async (from?: ListedJob) => {
      const job = from?.job ?? board.running()[0]?.job ?? board.all()[0]?.job ?? jobs.getChildren()[0]?.job;
      if (job !== undefined) await commands.told(() => live.show(job));
      else void vscode.window.showInformationMessage(vscode.l10n.t("Ensemble: no job has run yet."));
    }),
    registerCommand("ensemble.ui.cancelJob", onJob("cancel")),
    registerCommand("ensemble.ui.answerNow", onJob("decide")),
    registerCommand("ensemble.ui.debateJob", onJob("debate")),
    registerCommand("ensemble.ui.rerunJob", onJob("rerun")),
    registerCommand("ensemble.ui.openTranscript", onJob("transcript")),
    registerCommand("ensemble.ui.refreshJobs", () => jobs.refresh()),
    registerCommand("ensemble.ui.refreshPanel", () => watch.refresh()),
    registerCommand("ensemble.ui.addKey", () => {
      const missing = (watch.panel?.seats ?? []).filter(isMissing).map((seat) => seat.key);
      return askForKey(keys, session, namesIn([...missing, ...(watch.panel?.notes ?? [])]));
    }),
    registerCommand("ensemble.ui.removeKey", () => forgetKey(keys, session)),
    registerCommand("ensemble.ui.useLocalOnly", () => setLocal(true)),
    registerCommand("ensemble.ui.useAllModels", () => setLocal(false)),
    registerCommand("ensemble.ui.openSample", () => sample.open()),
    registerCommand("ensemble.ui.fixSample", async () => {
      const job = await sample.fix();
      if (job !== undefined) await live.show(job, { preserveFocus: true });
    }),
    registerCommand("ensemble.ui.walkthrough", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false),
    ),
    registerCommand("ensemble.ui.menu", menu),
    session.onState(({ kind }) => {
      if (kind === "running") void watch.refresh();
    }),
  );
  return board;
}

/** Open the live view for a job that people want to watch; an open one takes the new job in any case. */
function greet(live: LiveView, state: JobState): void {
  const when = vscode.workspace.getConfiguration("ensemble").get<string>("live.open", "debate");
  if (live.isOpen) live.follow(state.job);
  else if (when === "always" || (when === "debate" && state.mode === "debate")) {
    void live.show(state.job, { preserveFocus: true });
  }
}

/** What can be done with a job, from the live view's buttons and from menus. */
class JobActions implements LiveActions {
  /** Called with the id of a job that was started here. */
  started: (job: string) => void = () => undefined;

  constructor(
    private readonly session: Session,
    private readonly commands: ServerCommands,
    private readonly board: JobBoard,
    private readonly findings: FindingsView,
  ) {}

  async press(button: Parameters<LiveActions["press"]>[0], job: string): Promise<void> {
    switch (button) {
      case "cancel":
        await this.commands.run("ensemble.cancel", { job });
        break;
      case "decide":
        await toCode();
        await this.commands.run("ensemble.decide", { job });
        break;
      case "debate":
        this.begun(await this.commands.run("ensemble.continue", { job, mode: "debate" }));
        break;
      case "rerun":
        await this.rerun(job);
        break;
      case "transcript":
        await this.transcript(job);
        break;
      case "proposal": {
        const proposal = this.board.get(job)?.proposal?.id;
        const node = proposal === undefined ? undefined : { kind: "proposal", proposal };
        await toCode();
        await vscode.commands.executeCommand("ensemble.ui.openProposal", node);
      }
    }
  }

  async openFinding(finding: string, job: string): Promise<void> {
    const shown = this.findings.find(finding);
    if (shown !== undefined) {
      await goTo(shown);
      return;
    }
    // Dismissed, or of an earlier session: where it was when it was made.
    const state = this.board.get(job);
    const made = state?.findings.find((each) => each.id === finding);
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    if (made === undefined || folder === undefined) return;
    const place = new vscode.Position(made.line, 0);
    const uri = vscode.Uri.joinPath(folder, made.path);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(place, place) });
  }

  private begun(answer: { readonly job: string } | undefined): void {
    if (answer !== undefined) this.started(answer.job);
  }

  private async rerun(job: string): Promise<void> {
    await this.commands.told(async () => {
      const transcript = await this.session.request("ensemble/job", { job });
      const asked = Date.now() / 1000;
      const begun = await rerun(
        this.session,
        transcript,
        (workspace, path) => vscode.Uri.joinPath(vscode.Uri.file(workspace), path).toString(),
        (uri) => messageBox(vscode.Uri.joinPath(vscode.Uri.parse(uri), "..")),
      );
      this.board.begin(begun, asked);
    });
  }

  private async transcript(job: string): Promise<void> {
    await this.commands.told(async () => {
      const uri = vscode.Uri.from({ scheme: "ensemble", path: `/transcript/${job}.md` });
      await vscode.commands.executeCommand("markdown.showPreview", uri);
    });
  }
}

/** Go to the code's side, so that what opens now does not cover the live view. */
async function toCode(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.focusFirstEditorGroup");
}

async function setLocal(local: boolean): Promise<void> {
  await vscode.workspace
    .getConfiguration("ensemble")
    .update("local", local ? true : undefined, vscode.ConfigurationTarget.Global);
}

/** What the status bar's item opens while nothing runs. */
async function menu(): Promise<void> {
  const { t } = vscode.l10n;
  const rows: (vscode.QuickPickItem & { readonly command: string })[] = [
    { label: t("$(search) Review this file"), command: "ensemble.ui.reviewFile" },
    { label: t("$(git-compare) Review changes"), command: "ensemble.ui.reviewChanges" },
    { label: t("$(organization) Who sits on the panel"), command: "ensemble.panel.focus" },
    { label: t("$(history) Jobs"), command: "ensemble.jobs.focus" },
    { label: t("$(key) Add a provider's key…"), command: "ensemble.ui.addKey" },
    { label: t("$(pulse) Doctor"), command: "ensemble.ui.doctor" },
    { label: t("$(mortar-board) The first five minutes"), command: "ensemble.ui.walkthrough" },
  ];
  const chosen = await vscode.window.showQuickPick(rows, { title: "Ensemble" });
  if (chosen !== undefined) await vscode.commands.executeCommand(chosen.command);
}
