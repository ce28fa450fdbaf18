/** How each event changes what is known of its job: a pure function, the same in the extension host and in the page. */
import type { EventOf, JobEvent } from "../protocol.js";
import { type Lane, begin, finish, lane, left, seated, written } from "./lanes.js";
import type { JobState, Step, Verdict } from "./state.js";

/** Critiques, checks and positions that are kept of one job: a debate of fifteen in five rounds has fewer. */
export const KEPT_ENTRIES = 400;

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
      return withLane(next, event.member, "", (lane) => finish(lane, event));
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

function withLane(state: JobState, member: string, family: string, change: (lane: Lane) => Lane): JobState {
  const place = state.lanes.findIndex((each) => each.member === member);
  const found = state.lanes[place];
  // Members that join later, the strong one for example, get a lane when they first speak.
  if (found === undefined) return { ...state, lanes: [...state.lanes, change(lane(member, family))] };
  return { ...state, lanes: state.lanes.with(place, change(found)) };
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
