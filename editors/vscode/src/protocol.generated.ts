// Written by `npm run generate` from the server's models; a test keeps it current.

export type AnyMessage =
  | Action
  | Applied
  | ApplyArgument
  | Band
  | BudgetArgument
  | Candidate
  | CandidateCheck
  | CandidateParams
  | CheckFinished
  | CheckVerdict
  | ContextAnswer
  | ContextLocation
  | ContextParams
  | ContinueArgument
  | CritiqueMade
  | DebateArgument
  | Diagnostic
  | DiagnosticArgument
  | DismissArgument
  | DismissalList
  | Dissent
  | DissentKept
  | DraftRecord
  | Estimate
  | Evidence
  | ExplainArgument
  | FileChange
  | Finding
  | FindingMade
  | Finished
  | FixArgument
  | Grounds
  | HunkEvidence
  | InputAnswer
  | InputParams
  | JobAnswer
  | JobReference
  | JobResult
  | JobSummary
  | Limits
  | LineRange
  | ListedDismissal
  | ListedJob
  | ListedJobs
  | LocateArgument
  | MemberDelta
  | MemberFinished
  | MemberStarted
  | Mode
  | NoArgument
  | Nothing
  | Outcome
  | PanelDescription
  | PanelSeat
  | Phase
  | PhaseEntered
  | PlaceHint
  | PositionArgument
  | PositionTaken
  | Proposal
  | ProposalCandidate
  | ProposalFile
  | ProposalHunk
  | ProposalMade
  | ProposalParams
  | ProposalText
  | ProposalTextParams
  | RangeArgument
  | Rank
  | RefactorArgument
  | Refutation
  | RejectArgument
  | RestoreArgument
  | ReviewArgument
  | RevisionMade
  | RewriteArgument
  | Seat
  | SecureArgument
  | Severity
  | ShowArgument
  | Shown
  | SourceText
  | Spend
  | SpendReported
  | Standing
  | Started
  | Status
  | Strength
  | Task
  | TestArgument
  | Transcript
  | TrustArgument;
/**
 * What a job is asked to do.
 */
export type Action =
  "fix" | "review" | "explain" | "test" | "secure" | "locate" | "refactor" | "rewrite" | "debate";
/**
 * Confidence in words.
 */
export type Band = "high" | "medium" | "low";
/**
 * How bad a finding or diagnostic is; LSP's four severities under a reviewer's names.
 */
export type Severity = "critical" | "warning" | "info" | "hint";
/**
 * How a check ended. `notRun` is never counted for or against anything.
 */
export type Outcome = "passed" | "failed" | "timedOut" | "error" | "notRun";
/**
 * How much a kind of evidence weighs (deliberation.md): executed > static > agreement > opinion.
 */
export type Rank = 0 | 1 | 2 | 3;
/**
 * The three settings of the loop (deliberation.md).
 */
export type Mode = "quick" | "panel" | "debate";
/**
 * How the attempt to refute a point ended.
 */
export type Refutation =
  | "notAttempted"
  | "survived"
  | "survivedSameFamily"
  | "objected"
  | "refutedByCitation"
  | "refutedByExecution";
/**
 * How a job ended.
 */
export type Status = "done" | "nothing" | "abstained" | "cancelled" | "failed" | "overBudget";
/**
 * What stands behind a proposal (deliberation.md, "Fix: the decision").
 */
export type Standing = "verified" | "agreed" | "unverified";
/**
 * The phases, in their order; check, critique and revise may come again.
 */
export type Phase = "gather" | "draft" | "check" | "critique" | "revise" | "escalate" | "decide";

/**
 * The answer of `ensemble.apply`.
 */
export interface Applied {
  applied: boolean;
  failureReason?: string;
}
export interface ApplyArgument {
  candidate?: string;
  hunks?: string[];
  proposal: string;
}
export interface BudgetArgument {
  calls?: number;
  seconds?: number;
  usd?: number;
}
/**
 * One patch, with who wrote it and what the checks said of it.
 */
export interface Candidate {
  changedLines: number;
  changes: FileChange[];
  evidence: Evidence[];
  families: string[];
  id: string;
  members: string[];
  newDiagnostics: number;
  rationale: string;
  reasons: {
    [k: string]: string | undefined;
  };
  regressed: string[];
  rejected: string;
  revisedFrom?: string;
  spend: Spend;
}
/**
 * One file before and after, lossless. `before` None creates it, `after` None deletes it.
 *
 * `path` is relative to the workspace, with forward slashes.
 */
export interface FileChange {
  after?: SourceText;
  before?: SourceText;
  path: string;
}
/**
 * The text of one file, able to give back exactly the bytes it came from.
 *
 * `text` holds code points with every line's own ending and without the byte order mark; bytes that do not
 * decode are lone surrogates (`surrogateescape`). `encoding` is Python's codec name.
 */
export interface SourceText {
  bom: boolean;
  encoding: string;
  text: string;
}
/**
 * What one run of one witness said.
 */
export interface Evidence {
  diagnostics: Diagnostic[];
  log: string;
  outcome: Outcome;
  rank: Rank;
  sandbox: string;
  seconds: number;
  summary: string;
  target: string;
  tests: {
    [k: string]: Outcome;
  };
  witness: string;
}
/**
 * One message of a static tool. Lines are 0-based; `path` is relative to the workspace, posix.
 */
export interface Diagnostic {
  code: string;
  endLine: number;
  line: number;
  message: string;
  path: string;
  severity: Severity;
  source: string;
}
/**
 * What was used. `usd` counts a cancelled call without usage at its reservation.
 */
export interface Spend {
  calls: number;
  tokensIn: number;
  tokensOut: number;
  usd: number;
}
export interface CandidateCheck {
  outcome: Outcome;
  summary: string;
  witness: string;
}
/**
 * `ensemble/candidate`: the same proposal seen with another of its candidates; nothing changes by asking.
 */
export interface CandidateParams {
  candidate: string;
  proposal: string;
}
export interface CheckFinished {
  about: string;
  job: string;
  kind: "check";
  members: string[];
  outcome: Outcome;
  seq: number;
  summary: string;
  target: string;
  time: number;
  witness: string;
}
/**
 * How the target check ended for one candidate: what the members behind it are learnt by.
 */
export interface CheckVerdict {
  candidate: string;
  members: string[];
  passed: boolean;
}
export interface ContextAnswer {
  definitions?: ContextLocation[];
  diagnostics?: DiagnosticArgument[];
  hovers?: string[];
  references?: ContextLocation[];
}
export interface ContextLocation {
  range: RangeArgument;
  text?: string;
  uri: string;
}
export interface RangeArgument {
  end: PositionArgument;
  start: PositionArgument;
}
export interface PositionArgument {
  character: number;
  line: number;
}
/**
 * A diagnostic as the client has it; what else it carries is ignored.
 */
export interface DiagnosticArgument {
  code?: string | number;
  message: string;
  range: RangeArgument;
  severity?: number;
  source?: string;
}
/**
 * `ensemble/context`: what the editor's other language servers know at some positions.
 */
export interface ContextParams {
  positions: PositionArgument[];
  uri: string;
  want: ("definition" | "references" | "hover" | "diagnostics")[];
}
export interface ContinueArgument {
  job: string;
  mode?: "panel" | "debate";
}
export interface CritiqueMade {
  about: string;
  against: string[];
  broke: boolean;
  claim: string;
  evidence: string;
  from: string;
  job: string;
  kind: "critique";
  seq: number;
  time: number;
}
/**
 * Needs an instruction: the question; without one the client is asked for it (`ensemble/input`).
 */
export interface DebateArgument {
  budget?: BudgetArgument;
  check?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  uri: string;
}
export interface DismissArgument {
  finding: string;
  reason?: string;
}
export interface DismissalList {
  dismissals: ListedDismissal[];
  warnings: string[];
}
/**
 * `kept`: "private" on this machine, "shared" in `.ensemble/dismissed.json`.
 */
export interface ListedDismissal {
  category: string;
  counts: boolean;
  date: string;
  fingerprint: string;
  id: string;
  kept: "private" | "shared";
  path: string;
  reason: string;
  title: string;
}
/**
 * What was argued and not adopted, kept word for word.
 */
export interface Dissent {
  about: string;
  family: string;
  member: string;
  text: string;
}
export interface DissentKept {
  dissent: Dissent;
  job: string;
  kind: "dissent";
  seq: number;
  time: number;
}
/**
 * One paid blind answer, kept so that `continue` can go on from it.
 */
export interface DraftRecord {
  family: string;
  member: string;
  spend: Spend;
  style: number;
  text: string;
}
/**
 * What the job is expected to use, before it starts. `calls_bound` can never be passed.
 */
export interface Estimate {
  callsBound: number;
  callsExpected: number;
  secondsExpected?: number;
  tokensExpected?: number;
  usdBound: number;
  usdCap?: number;
  usdExpected: number;
}
export interface ExplainArgument {
  budget?: BudgetArgument;
  check?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  uri: string;
}
/**
 * One admitted (or dissenting) finding. Lines are 0-based, `end_line` inclusive.
 */
export interface Finding {
  admitted: boolean;
  against: Evidence[];
  band: Band;
  category: string;
  changedLines: boolean;
  confidence: number;
  detail: string;
  dismissed?: string;
  dissent: Dissent[];
  endLine: number;
  evidence: Evidence[];
  families: string[];
  fingerprint: string;
  grounds?: Grounds;
  id: string;
  line: number;
  members: string[];
  path: string;
  quote: string;
  reason: string;
  severity: Severity;
  title: string;
}
/**
 * What the confidence in a finding rests on, beside who raised it.
 */
export interface Grounds {
  families: number;
  refutation: Refutation;
  witness?: Rank;
}
export interface FindingMade {
  finding: Finding;
  job: string;
  kind: "finding";
  seq: number;
  time: number;
}
export interface Finished {
  job: string;
  kind: "finished";
  reason: string;
  seconds: number;
  seq: number;
  spend: Spend;
  status: Status;
  time: number;
}
export interface FixArgument {
  budget?: BudgetArgument;
  check?: string;
  diagnostics?: DiagnosticArgument[];
  finding?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  uri: string;
}
/**
 * One thing that stands behind one hunk.
 */
export interface HunkEvidence {
  kind: "families" | "check" | "finding" | "diagnostic";
  outcome?: Outcome;
  source: string;
  text: string;
}
/**
 * `text` null: the person closed the question.
 */
export interface InputAnswer {
  text: string | null;
}
/**
 * `ensemble/input`: ask the person for a job's instruction.
 */
export interface InputParams {
  job: string;
  title: string;
}
/**
 * The answer of every command that starts or names a job.
 */
export interface JobAnswer {
  job: string;
}
export interface JobReference {
  job: string;
}
/**
 * What came out of one job.
 */
export interface JobResult {
  changedLines: {
    [k: string]: LineRange[] | undefined;
  };
  dissent: Dissent[];
  document: string;
  drafts: DraftRecord[];
  error: string;
  findings: Finding[];
  notes: string[];
  proposal?: Proposal;
  reason: string;
  reviewed: string[];
  spend: Spend;
  status: Status;
  texts: {
    [k: string]: string | undefined;
  };
  unreviewed: string[];
  verdicts: CheckVerdict[];
  warnings: string[];
}
/**
 * Whole lines, 0-based, `end` exclusive.
 */
export interface LineRange {
  end: number;
  start: number;
}
/**
 * The chosen candidate, its alternatives, the evidence and the dissent.
 *
 * What was decided is what is proposed, byte for byte: `chosen.changes` is the artefact that was checked.
 */
export interface Proposal {
  alternatives: Candidate[];
  chosen: Candidate;
  dissent: Dissent[];
  finding?: string;
  id: string;
  job: string;
  singleFamily: boolean;
  spend: Spend;
  standing: Standing;
  strength?: Strength;
  title: string;
  weak: boolean;
  wouldSettle: string;
}
/**
 * How much a check would have caught: mutants of the region's original code that it kills.
 *
 * Below one half a pass is weak evidence (deliberation.md, "Strength of a check").
 */
export interface Strength {
  killed: number;
  survivors: string[];
  total: number;
}
/**
 * One line of the job list. `started` in seconds since the epoch.
 */
export interface JobSummary {
  action: Action;
  calls: number;
  job: string;
  seconds: number;
  started: number;
  status: Status | ("running" | "lost");
  title: string;
  usd: number;
  workspace: string;
}
/**
 * Caps on one job. None means "no cap of this kind"; 0 means that nothing may be sent.
 *
 * The defaults of `usd` and `seconds` are the product's (protocol.md, "Consent").
 */
export interface Limits {
  calls?: number;
  seconds: number | null;
  usd: number | null;
}
/**
 * One line of the job list. `uri`: its transcript, as `workspace/textDocumentContent` and a person know it.
 */
export interface ListedJob {
  action: Action;
  calls: number;
  job: string;
  seconds: number;
  started: number;
  status: Status | ("running" | "lost");
  title: string;
  uri: string;
  usd: number;
  workspace: string;
}
/**
 * The answer of `ensemble.jobs`.
 */
export interface ListedJobs {
  jobs: ListedJob[];
}
/**
 * By default it starts from the document; with `report` from where a report of the fault points to.
 */
export interface LocateArgument {
  budget?: BudgetArgument;
  check?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  report?: "selection" | "instruction";
  rounds?: number;
  uri: string;
}
export interface MemberDelta {
  job: string;
  kind: "memberDelta";
  member: string;
  sample: number;
  seq: number;
  text: string;
  time: number;
  tokensPerSecond?: number;
}
export interface MemberFinished {
  cached: boolean;
  cancelled: boolean;
  error?: string;
  errorKind?: string;
  hint?: string;
  job: string;
  kind: "memberFinished";
  member: string;
  purpose: string;
  sample: number;
  seconds: number;
  seq: number;
  spend: Spend;
  time: number;
}
export interface MemberStarted {
  family: string;
  job: string;
  kind: "memberStarted";
  member: string;
  purpose: string;
  sample: number;
  seq: number;
  time: number;
}
export interface NoArgument {}
/**
 * An empty object.
 */
export interface Nothing {}
export interface PanelDescription {
  dayUsd: number;
  notes: string[];
  seats: PanelSeat[];
  spentTodayUsd: number;
}
/**
 * One member as `ensemble-lsp panel` shows it. Prices are USD per million tokens.
 */
export interface PanelSeat {
  family: string;
  id: string;
  key: string;
  local: boolean;
  model: string;
  priceIn?: number;
  priceOut?: number;
  recipient: string;
  role: "anchor" | "member" | "strong";
  why: string;
}
export interface PhaseEntered {
  done?: number;
  file?: number;
  files?: number;
  job: string;
  kind: "phase";
  note: string;
  phase: Phase;
  round: number;
  seq: number;
  time: number;
}
/**
 * Where a report of a fault points to; `line` is 0-based, None for a file as a whole.
 */
export interface PlaceHint {
  line?: number;
  path: string;
  why: string;
}
export interface PositionTaken {
  because: string;
  job: string;
  kind: "position";
  member: string;
  moved: boolean;
  round: number;
  seq: number;
  stance: string;
  time: number;
}
/**
 * One way to do it. `chosen`: the panel's own choice. `cost` in USD.
 */
export interface ProposalCandidate {
  changedLines: number;
  checks: CandidateCheck[];
  chosen: boolean;
  cost: number;
  families: string[];
  id: string;
  members: string[];
  rejected: string;
}
/**
 * One file of a proposal as it stands against the live text.
 */
export interface ProposalFile {
  conflict: string;
  hunks: ProposalHunk[];
  kind: "change" | "create" | "delete";
  uri: string;
  version: number | null;
}
/**
 * Lines that become other lines. `old_start` is 0-based in the file's `version`; lines carry their endings.
 */
export interface ProposalHunk {
  conflict: boolean;
  evidence: HunkEvidence[];
  id: string;
  newLines: string[];
  oldLines: string[];
  oldStart: number;
  why: string;
}
/**
 * That there is a proposal, in a few words: its texts travel with the job's result alone.
 */
export interface ProposalMade {
  changedLines: number;
  families: string[];
  job: string;
  kind: "proposal";
  paths: string[];
  proposal: string;
  seq: number;
  status: Standing;
  time: number;
  title: string;
  weak: boolean;
}
/**
 * `ensemble/proposal`, and the answer of `ensemble/candidate`.
 */
export interface ProposalParams {
  candidate: string;
  candidates: ProposalCandidate[];
  dissent: Dissent[];
  files: ProposalFile[];
  finding?: string;
  job: string;
  proposal: string;
  revision: number;
  spend: Spend;
  status: Standing;
  title: string;
  weak: boolean;
  wouldSettle: string;
}
export interface ProposalText {
  revision: number;
  text: string;
  version: number | null;
}
/**
 * `ensemble/proposalText`: one file as it would be. `hunks` absent: all without conflict.
 */
export interface ProposalTextParams {
  candidate?: string;
  hunks?: string[];
  proposal: string;
  uri: string;
}
/**
 * Needs an instruction; without one the client is asked for it (`ensemble/input`).
 */
export interface RefactorArgument {
  budget?: BudgetArgument;
  check?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  uri: string;
}
export interface RejectArgument {
  hunks?: string[];
  proposal: string;
}
/**
 * `id` of `ensemble.dismissals`, or its beginning where that names one.
 */
export interface RestoreArgument {
  id: string;
}
/**
 * `uri` is a document, or for `changes`, `staged` and `workspace` any file or folder of the workspace.
 */
export interface ReviewArgument {
  base?: string;
  budget?: BudgetArgument;
  check?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  scope?: "range" | "file" | "changes" | "staged" | "workspace";
  uri: string;
}
export interface RevisionMade {
  about: string;
  conformity: boolean;
  job: string;
  kind: "revision";
  member: string;
  note: string;
  outcome: "revised" | "kept" | "withdrawn";
  seq: number;
  time: number;
}
/**
 * Needs an instruction, but of a commit message; without one the client is asked for it (`ensemble/input`).
 */
export interface RewriteArgument {
  budget?: BudgetArgument;
  check?: string;
  commit?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  uri: string;
}
/**
 * A member as a client shows it.
 */
export interface Seat {
  family: string;
  local: boolean;
  member: string;
  model: string;
}
export interface SecureArgument {
  budget?: BudgetArgument;
  check?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  uri: string;
}
/**
 * `transcript`: everything that was said and done; `result`: the explanation or report alone.
 */
export interface ShowArgument {
  document?: "transcript" | "result";
  job: string;
}
/**
 * The answer of `ensemble.show`: what `workspace/textDocumentContent` takes, in any client.
 */
export interface Shown {
  uri: string;
}
export interface SpendReported {
  job: string;
  kind: "spend";
  seq: number;
  spend: Spend;
  time: number;
}
export interface Started {
  action: Action;
  estimate: Estimate;
  job: string;
  kind: "started";
  mode: Mode;
  notes: string[];
  panel: Seat[];
  seq: number;
  time: number;
  uri: string;
}
/**
 * What one job is about. Paths are relative to the workspace, with forward slashes.
 */
export interface Task {
  action: Action;
  allLines: boolean;
  base?: string;
  change: string;
  changedLines: {
    [k: string]: LineRange[] | undefined;
  };
  check?: string;
  diagnostics: Diagnostic[];
  finding?: Finding;
  fresh: boolean;
  instruction: string;
  limits: Limits;
  mode: Mode;
  path?: string;
  paths: string[];
  places: PlaceHint[];
  range?: LineRange;
  rounds: number;
  scope?: "changes" | "staged" | "workspace";
}
export interface TestArgument {
  budget?: BudgetArgument;
  check?: string;
  instruction?: string;
  mode?: Mode;
  panel?: string[];
  range?: RangeArgument;
  rounds?: number;
  uri: string;
}
/**
 * Everything kept of one job.
 */
export interface Transcript {
  events: {
    [k: string]: unknown | undefined;
  }[];
  result?: JobResult;
  summary: JobSummary;
  task: Task;
}
/**
 * The notification `ensemble/trust`.
 */
export interface TrustArgument {
  trusted: boolean;
  uri: string;
}

/** Commands of `workspace/executeCommand`. */

export interface Commands {
  "ensemble.apply": { argument: ApplyArgument; answer: Applied };
  "ensemble.cancel": { argument: JobReference; answer: JobAnswer };
  "ensemble.continue": { argument: ContinueArgument; answer: JobAnswer };
  "ensemble.debate": { argument: DebateArgument; answer: JobAnswer };
  "ensemble.decide": { argument: JobReference; answer: JobAnswer };
  "ensemble.dismiss": { argument: DismissArgument; answer: Nothing };
  "ensemble.dismissals": { argument: NoArgument; answer: DismissalList };
  "ensemble.explain": { argument: ExplainArgument; answer: JobAnswer };
  "ensemble.fix": { argument: FixArgument; answer: JobAnswer };
  "ensemble.jobs": { argument: NoArgument; answer: ListedJobs };
  "ensemble.locate": { argument: LocateArgument; answer: JobAnswer };
  "ensemble.panel": { argument: NoArgument; answer: PanelDescription };
  "ensemble.refactor": { argument: RefactorArgument; answer: JobAnswer };
  "ensemble.reject": { argument: RejectArgument; answer: Nothing };
  "ensemble.restore": { argument: RestoreArgument; answer: DismissalList };
  "ensemble.review": { argument: ReviewArgument; answer: JobAnswer };
  "ensemble.rewrite": { argument: RewriteArgument; answer: JobAnswer };
  "ensemble.secure": { argument: SecureArgument; answer: JobAnswer };
  "ensemble.show": { argument: ShowArgument; answer: Shown };
  "ensemble.test": { argument: TestArgument; answer: JobAnswer };
}

/** Requests that the client sends. */

export interface Requests {
  "ensemble/candidate": { params: CandidateParams; result: ProposalParams };
  "ensemble/job": { params: JobReference; result: Transcript };
  "ensemble/proposalText": { params: ProposalTextParams; result: ProposalText };
}

/** `ensemble/event`. */

export type JobEvent =
  | CheckFinished
  | CritiqueMade
  | DissentKept
  | FindingMade
  | Finished
  | MemberDelta
  | MemberFinished
  | MemberStarted
  | PhaseEntered
  | PositionTaken
  | ProposalMade
  | RevisionMade
  | SpendReported
  | Started;

export const PROTOCOL_VERSION = 1;

export const ACTIONS = [
  "fix",
  "review",
  "explain",
  "test",
  "secure",
  "locate",
  "refactor",
  "rewrite",
  "debate",
] as const;

export const CODE_ACTION_KINDS = [
  "quickfix",
  "source.ensemble.review",
  "refactor.ensemble.review",
  "refactor.rewrite.ensemble.fix",
  "refactor.ensemble.explain",
  "refactor.ensemble.test",
  "refactor.rewrite.ensemble.secure",
  "refactor.ensemble.locate",
  "refactor.rewrite.ensemble.refactor",
  "refactor.ensemble.debate",
  "refactor.rewrite.ensemble.rewrite",
] as const;

export const COMMAND_NAMES = [
  "ensemble.apply",
  "ensemble.cancel",
  "ensemble.continue",
  "ensemble.debate",
  "ensemble.decide",
  "ensemble.dismiss",
  "ensemble.dismissals",
  "ensemble.explain",
  "ensemble.fix",
  "ensemble.jobs",
  "ensemble.locate",
  "ensemble.panel",
  "ensemble.refactor",
  "ensemble.reject",
  "ensemble.restore",
  "ensemble.review",
  "ensemble.rewrite",
  "ensemble.secure",
  "ensemble.show",
  "ensemble.test",
] as const;

export type CommandName =
  | "ensemble.apply"
  | "ensemble.cancel"
  | "ensemble.continue"
  | "ensemble.debate"
  | "ensemble.decide"
  | "ensemble.dismiss"
  | "ensemble.dismissals"
  | "ensemble.explain"
  | "ensemble.fix"
  | "ensemble.jobs"
  | "ensemble.locate"
  | "ensemble.panel"
  | "ensemble.refactor"
  | "ensemble.reject"
  | "ensemble.restore"
  | "ensemble.review"
  | "ensemble.rewrite"
  | "ensemble.secure"
  | "ensemble.show"
  | "ensemble.test";
