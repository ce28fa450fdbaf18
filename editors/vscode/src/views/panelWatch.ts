/** Who would sit on the panel, and what was spent today of the cap, as the server last said. */
import type { Disposable } from "vscode";
import { Emitter } from "../emitter.js";
import type { JobBoard } from "../live/jobBoard.js";
import type { PanelDescription } from "../protocol.js";
import type { Session } from "../session.js";

/** Milliseconds after a change of settings. */
const SETTLED = 1_000;

/** Keeps the panel's description: asked for when the server starts, when a job ends, and when something asks. */
export class PanelWatch implements Disposable {
  private readonly changes = new Emitter<undefined>();
  readonly onChange = this.changes.event;
  private readonly subscriptions: readonly Disposable[];
  private known: PanelDescription | undefined;
  private asking: Promise<void> | undefined;
  private again = false;
  private timer: NodeJS.Timeout | undefined;
  /** Why the panel could not be described; empty when it could. */
  problem = "";

  constructor(
    private readonly session: Session,
    board: JobBoard,
  ) {
    this.subscriptions = [
      session.onState(({ kind }) => {
        if (kind === "running") return;
        this.known = undefined;
        this.changes.fire(undefined);
      }),
      board.onEvent(({ event }) => {
        // The first event of a job means that the engine runs: only now is the panel known for nothing.
        if (event.kind === "started" || event.kind === "finished") void this.refresh();
      }),
    ];
  }

  get panel(): PanelDescription | undefined {
    return this.known;
  }

  /** Ask again; while an answer is awaited, once more after it. */
  async refresh(): Promise<void> {
    if (this.asking !== undefined) {
      this.again = true;
      await this.asking;
      return;
    }
    this.asking = this.ask();
    await this.asking;
    this.asking = undefined;
    if (this.again) {
      this.again = false;
      await this.refresh();
    }
  }

  /** Ask again when the server had the time to read settings that just changed: it fetches them by itself. */
  refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), SETTLED);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changes.dispose();
  }

  private async ask(): Promise<void> {
    try {
      this.known = await this.session.execute("ensemble.panel", {});
      this.problem = "";
    } catch (problem) {
      this.problem = problem instanceof Error ? problem.message : String(problem);
    }
    this.changes.fire(undefined);
  }
}
