/** The states of the jobs that were heard of, for everything that shows them. */
import type { Disposable } from "vscode";
import { Emitter } from "../emitter.js";
import type { JobEvent } from "../protocol.js";
import type { Session } from "../session.js";
import { heard } from "./hearing.js";
import { type JobState, isRunning, unheard } from "./state.js";

/** Jobs that are kept: those that ended longest ago go first. */
const KEPT = 30;

export class JobBoard implements Disposable {
  private readonly states = new Map<string, JobState>();
  private readonly changes = new Emitter<{ state: JobState; event: JobEvent }>();
  private readonly subscriptions: readonly Disposable[];
  /** After every event, with the state that it led to. */
  readonly onEvent = this.changes.event;

  constructor(session: Session) {
    this.subscriptions = [
      session.onEvent((event) => this.hear(event)),
      session.onState((state) => {
        // A server that is gone tells no ends.
        if (state.kind !== "running") this.end();
      }),
    ];
  }

  get(job: string): JobState | undefined {
    return this.states.get(job);
  }

  /** All that are known, the newest first. */
  all(): readonly JobState[] {
    return [...this.states.values()].reverse();
  }

  running(): readonly JobState[] {
    return this.all().filter(isRunning);
  }

  /**
   * Take in a job that this window has just started, before its first event: it can be shown at once, and nobody reads
   * back what was kept of it. `asked` in seconds since the epoch.
   */
  begin(job: string, asked: number): void {
    if (!this.states.has(job)) this.put({ ...unheard(job), started: asked, last: asked });
  }

  /** Take in a job of the past, read back from what the server kept; what this window heard itself stays. */
  keep(state: JobState): void {
    if (!this.states.has(state.job)) this.put(state);
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changes.dispose();
  }

  private hear(event: JobEvent): void {
    const state = heard(this.states.get(event.job) ?? unheard(event.job), event);
    this.put(state);
    this.changes.fire({ state, event });
  }

  private put(state: JobState): void {
    this.states.set(state.job, state);
    for (const [job, known] of this.states) {
      if (this.states.size <= KEPT) break;
      if (!isRunning(known)) this.states.delete(job);
    }
  }

  private end(): void {
    for (const state of this.running()) {
      this.hear({
        kind: "finished",
        job: state.job,
        seq: state.seq + 1,
        time: Math.max(state.last, state.started),
        status: "failed",
        reason: "",
        spend: state.spend,
        seconds: 0,
      });
    }
  }
}
