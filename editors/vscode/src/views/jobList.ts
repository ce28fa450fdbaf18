/** The list of jobs: what the server keeps and what this window heard. Pure. */
import { fileOf, spentOn } from "../live/figures.js";
import { type JobState, isRunning } from "../live/state.js";
import type { JobSummary } from "../protocol.js";

/** One line of the list. */
export interface ListedJob {
  readonly job: string;
  readonly status: JobSummary["status"];
  readonly action: JobSummary["action"] | undefined;
  readonly title: string;
  readonly started: number;
  readonly seconds: number;
  readonly usd: number;
}

/** What the server keeps, and over it what this window heard: it knows of running jobs first. Newest first. */
export function listed(kept: readonly JobSummary[], heard: readonly JobState[]): ListedJob[] {
  const jobs = new Map<string, ListedJob>(
    kept.map(({ job, status, action, title, started, seconds, usd }) => [
      job,
      { job, status, action, title, started, seconds, usd },
    ]),
  );
  for (const state of heard) {
    const known = jobs.get(state.job);
    jobs.set(state.job, {
      job: state.job,
      status: state.status ?? "running",
      action: known?.action ?? state.action,
      title: known?.title ?? fileOf(state),
      started: known?.started ?? state.started,
      seconds: isRunning(state) ? Math.max(0, state.last - state.started) : state.seconds,
      usd: Math.max(known?.usd ?? 0, spentOn(state)),
    });
  }
  return [...jobs.values()].sort((one, other) => other.started - one.started);
}
