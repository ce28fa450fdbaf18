/**
 * What is known of a running job.
 *
 * The live view, the job list and the status bar all read this. It knows neither VS Code nor the DOM: the extension host
 * and the page have the same state.
 */
import type {
  Action,
  Dissent,
  Estimate,
  Finding,
  Mode,
  Outcome,
  Phase,
  Spend,
  Standing,
  Status,
} from "../protocol.js";
import { type Lane, NOTHING } from "./lanes.js";

export interface Check {
  readonly number: number;
  readonly witness: string;
  readonly target: string;
  readonly outcome: Outcome;
  readonly summary: string;
  /** Id of the candidate; empty for the code as it is. */
  readonly about: string;
  readonly members: readonly string[];
}

export interface Critique {
  /** Counts from 1: what its arrow and its text are called by. */
  readonly number: number;
  readonly from: string;
  readonly against: readonly string[];
  readonly about: string;
  readonly claim: string;
  readonly evidence: string;
  readonly broke: boolean;
  readonly round: number;
}

/** What a member did with its answer after it was attacked, or where it stands in a debate. */
export interface Step {
  readonly number: number;
  readonly member: string;
  readonly kind: "revised" | "kept" | "withdrawn" | "stands" | "moved";
  /** What it says of it, or the stance. */
  readonly text: string;
  /** The evidence that moved it. */
  readonly because: string;
  /** It changed without new evidence: not counted as support. */
  readonly conformity: boolean;
}

export interface JobState {
  readonly job: string;
  /** Number of the last event; -1 before the first. */
  readonly seq: number;
  readonly action: Action | undefined;
  readonly uri: string;
  readonly mode: Mode | undefined;
  /** Seconds since the epoch. */
  readonly started: number;
  readonly last: number;
  readonly estimate: Estimate | undefined;
  readonly notes: readonly string[];
  readonly phase: Phase | undefined;
  readonly round: number;
  readonly note: string;
  readonly lanes: readonly Lane[];
  readonly checks: readonly Check[];
  readonly critiques: readonly Critique[];
  readonly steps: readonly Step[];
  readonly findings: readonly Finding[];
  readonly dissent: readonly Dissent[];
  readonly proposal: Verdict | undefined;
  readonly spend: Spend;
  readonly status: Status | undefined;
  readonly reason: string;
  readonly seconds: number;
}

/** What was chosen. */
export interface Verdict {
  readonly id: string;
  readonly title: string;
  readonly standing: Standing;
  readonly weak: boolean;
  readonly families: readonly string[];
  readonly paths: readonly string[];
  readonly changedLines: number;
}

export function unheard(job: string): JobState {
  return {
    job,
    seq: -1,
    action: undefined,
    uri: "",
    mode: undefined,
    started: 0,
    last: 0,
    estimate: undefined,
    notes: [],
    phase: undefined,
    round: 0,
    note: "",
    lanes: [],
    checks: [],
    critiques: [],
    steps: [],
    findings: [],
    dissent: [],
    proposal: undefined,
    spend: NOTHING,
    status: undefined,
    reason: "",
    seconds: 0,
  };
}

/** Whether the job has not ended. */
export function isRunning(state: JobState): boolean {
  return state.status === undefined;
}
