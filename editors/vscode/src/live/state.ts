/**
 * What is known of a running job: a pure function of its events.
 *
 * The live view, the job list and the status bar all read this. It knows neither VS Code nor the DOM, so that the
 * extension host and the page fold the same events into the same state.
 */
import type {
  Action,
  Dissent,
  Estimate,
  EventOf,
  Finding,
  JobEvent,
  Mode,
  Outcome,
  Phase,
  Seat,
  Spend,
  Standing,
  Status,
} from "../protocol.js";

/** Characters of a member's text that are kept: more than a lane shows, little enough for fifteen lanes. */
export const KEPT_CHARACTERS = 6_000;

/** Critiques, checks and positions that are kept of one job: a debate of fifteen in five rounds has fewer. */
export const KEPT_ENTRIES = 400;

/** One answer of a member, as it is written. */
export interface Piece {
  /** Counts from 0 in each lane. */
  readonly number: number;
  /** What it was asked for: "draft", "critique", "revise", … */
  readonly purpose: string;
  /** Tells two answers apart that are written at once. */
  readonly sample: number;
  readonly text: string;
  /** Characters of its beginning that are no longer kept. */
  readonly dropped: number;
}

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

export interface Lane {
  readonly member: string;
  readonly family: string;
  readonly model: string;
  readonly local: boolean;
  /** Purposes of the calls that run now. */
  readonly running: readonly string[];
  /** How the last call ended; empty before one did, "unasked" when the job ended without one. */
  readonly ended: "" | "answered" | "failed" | "cancelled" | "unasked";
  readonly pieces: readonly Piece[];
  readonly spend: Spend;
  readonly error: string;
  /** Tokens per second of what it writes now, as the server measures it. */
  readonly speed: number | undefined;
  /** Characters of the running calls: the tokens are only known at their end. */
  readonly written: number;
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

const NOTHING: Spend = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

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

/** Fold one event in; an event that was heard before changes nothing. */
export function heard(state: JobState, event: JobEvent): JobState {
  if (event.job !== state.job || event.seq <= state.seq) return state;
  const next: JobState = {
    ...state,
    seq: event.seq,
    started: state.started === 0 ? event.time : state.started,
    last: event.time,
  };
  switch (event.kind) {
    case "started":
      return {
        ...next,
        action: event.action,
        uri: event.uri,
        mode: event.mode,
        estimate: event.estimate,
        notes: event.notes,
        lanes: seated(next.lanes, event.panel),
      };
    case "phase":
      return { ...next, phase: event.phase, round: event.round, note: event.note };
    case "memberStarted":
      return withLane(next, event.member, event.family, (lane) => begin(lane, event.purpose, event.sample));
    case "memberDelta":
      return withLane(next, event.member, "", (lane) => written(lane, event));
    case "memberFinished":
      return withLane(next, event.member, "", (lane) => ({
        ...lane,
        running: without(lane.running, event.purpose),
        ended: event.cancelled ? "cancelled" : event.error ? "failed" : "answered",
        spend: sum(lane.spend, event.spend),
        error: (event.error ?? "").replace(`${event.member}: `, ""),
        written: 0,
        speed: undefined,
      }));
    case "check":
      return {
        ...next,
        checks: kept(next.checks, {
          number: following(next.checks),
          witness: event.witness,
          target: event.target,
          outcome: event.outcome,
          summary: event.summary,
          about: event.about,
          members: event.members,
        }),
      };
    case "critique":
      return {
        ...next,
        critiques: kept(next.critiques, {
          number: following(next.critiques, 1),
          from: event.from,
          against: event.against,
          about: event.about,
          claim: event.claim,
          evidence: event.evidence,
          broke: event.broke,
          round: next.round,
        }),
      };
    case "revision":
      return step(next, event.member, event.outcome, event.note, "", event.conformity);
    case "position":
      return step(
        next,
        event.member,
        event.moved ? "moved" : "stands",
        event.stance,
        event.because,
        event.moved && event.because === "",
      );
    case "finding":
      return { ...next, findings: kept(next.findings, event.finding) };
    case "dissent":
      return { ...next, dissent: kept(next.dissent, event.dissent) };
    case "proposal":
      return { ...next, proposal: verdict(event) };
    case "spend":
      return { ...next, spend: event.spend };
    case "finished":
      return {
        ...next,
        status: event.status,
        reason: event.reason,
        spend: event.spend.calls > 0 ? event.spend : next.spend,
        seconds: event.seconds > 0 ? event.seconds : Math.max(0, event.time - next.started),
        lanes: next.lanes.map(left),
      };
  }
}

/** All of several events. */
export function heardAll(state: JobState, events: readonly JobEvent[]): JobState {
  return events.reduce(heard, state);
}

function lane(member: string, family: string, model = "", local = false): Lane {
  return {
    member,
    family,
    model,
    local,
    running: [],
    ended: "",
    pieces: [],
    spend: NOTHING,
    error: "",
    speed: undefined,
    written: 0,
  };
}

function seated(lanes: readonly Lane[], panel: readonly Seat[]): Lane[] {
  const known = new Map(lanes.map((each) => [each.member, each]));
  const named = new Set(panel.map((seat) => seat.member));
  return [
    ...panel.map((seat) => ({
      ...(known.get(seat.member) ?? lane(seat.member, seat.family)),
      family: seat.family,
      model: seat.model,
      local: seat.local,
    })),
    ...lanes.filter((each) => !named.has(each.member)),
  ];
}

function withLane(state: JobState, member: string, family: string, change: (lane: Lane) => Lane): JobState {
  const place = state.lanes.findIndex((each) => each.member === member);
  const found = state.lanes[place];
  // Members that join later, the strong one for example, get a lane when they first speak.
  if (found === undefined) return { ...state, lanes: [...state.lanes, change(lane(member, family))] };
  return { ...state, lanes: state.lanes.with(place, change(found)) };
}

/** A lane when its job ends. */
function left(lane: Lane): Lane {
  if (lane.running.length > 0) return { ...lane, running: [], ended: "cancelled", speed: undefined };
  return lane.ended === "" && lane.pieces.length === 0 ? { ...lane, ended: "unasked" } : lane;
}

function begin(lane: Lane, purpose: string, sample: number): Lane {
  const number = (lane.pieces.at(-1)?.number ?? -1) + 1;
  const piece: Piece = { number, purpose, sample, text: "", dropped: 0 };
  return {
    ...lane,
    running: [...lane.running, purpose],
    ended: "",
    error: "",
    speed: undefined,
    pieces: [...lane.pieces, piece],
  };
}

function written(lane: Lane, { sample, text, tokensPerSecond }: EventOf<"memberDelta">): Lane {
  const place = lane.pieces.findLastIndex((piece) => piece.sample === sample);
  const open = lane.pieces[place] ?? { number: 0, purpose: "draft", sample, text: "", dropped: 0 };
  const longer = { ...open, text: open.text + text };
  return {
    ...lane,
    pieces: bounded(place < 0 ? [...lane.pieces, longer] : lane.pieces.with(place, longer)),
    written: lane.written + text.length,
    speed: tokensPerSecond ?? lane.speed,
  };
}

/** Drop from the beginning what is more than is kept. */
function bounded(pieces: readonly Piece[]): readonly Piece[] {
  let excess = pieces.reduce((total, piece) => total + piece.text.length, 0) - KEPT_CHARACTERS;
  if (excess <= 0) return pieces;
  const left: Piece[] = [];
  for (const [place, piece] of pieces.entries()) {
    const gone = Math.min(Math.max(excess, 0), piece.text.length);
    excess -= gone;
    if (gone < piece.text.length || place === pieces.length - 1) {
      left.push({ ...piece, text: piece.text.slice(gone), dropped: piece.dropped + gone });
    }
  }
  return left;
}

function step(
  state: JobState,
  member: string,
  kind: Step["kind"],
  text: string,
  because: string,
  conformity: boolean,
): JobState {
  const before = state.steps.findLast((each) => each.member === member);
  // Where it stands is said in every round; only a change is news.
  if (kind === "stands" && before?.kind === "stands" && before.text === text) return state;
  const added = { number: following(state.steps), member, kind, text, because, conformity };
  return { ...state, steps: kept(state.steps, added) };
}

function verdict(event: EventOf<"proposal">): Verdict {
  return {
    id: event.proposal,
    title: event.title,
    standing: event.status,
    weak: event.weak,
    families: event.families,
    paths: event.paths,
    changedLines: event.changedLines,
  };
}

function following(entries: readonly { readonly number: number }[], first = 0): number {
  const last = entries.at(-1);
  return last === undefined ? first : last.number + 1;
}

function kept<T>(entries: readonly T[], entry: T): readonly T[] {
  return entries.length < KEPT_ENTRIES ? [...entries, entry] : [...entries.slice(1), entry];
}

function without(running: readonly string[], purpose: string): readonly string[] {
  const place = running.indexOf(purpose);
  return place < 0 ? running : running.toSpliced(place, 1);
}

function sum(one: Spend, other: Spend): Spend {
  return {
    calls: one.calls + other.calls,
    tokensIn: one.tokensIn + other.tokensIn,
    tokensOut: one.tokensOut + other.tokensOut,
    usd: one.usd + other.usd,
  };
}
