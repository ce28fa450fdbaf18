import { describe, expect, test } from "vitest";
import type { JobEvent } from "../../src/protocol.js";
import { heard, heardAll } from "../../src/live/hearing.js";
import { KEPT_CHARACTERS } from "../../src/live/lanes.js";
import { type JobState, isRunning, unheard } from "../../src/live/state.js";

type Body = JobEvent extends infer Each
  ? Each extends JobEvent
    ? Omit<Each, "job" | "seq" | "time">
    : never
  : never;

const SPEND = { calls: 1, tokensIn: 100, tokensOut: 40, usd: 0.002 };

function told(...bodies: Body[]): JobState {
  return heardAll(unheard("j"), events(bodies));
}

function events(bodies: Body[]): JobEvent[] {
  return bodies.map((body, seq) => ({ ...body, job: "j", seq, time: 100 + seq }));
}

const STARTED: Body = {
  kind: "started",
  action: "fix",
  mode: "panel",
  uri: "file:///shop/cart.py",
  notes: [],
  panel: [{ member: "alpha", family: "openai", model: "openai/alpha", local: false }],
  estimate: { callsExpected: 2, callsBound: 4, usdExpected: 0.01, usdBound: 0.1 },
};

const begins = (member: string, purpose = "draft", sample = 0): Body => ({
  kind: "memberStarted",
  member,
  family: "openai",
  purpose,
  sample,
});
const writes = (member: string, text: string, sample = 0): Body => ({
  kind: "memberDelta",
  member,
  text,
  sample,
});
const ends = (member: string, more: object = {}): Body => ({
  kind: "memberFinished",
  member,
  purpose: "draft",
  sample: 0,
  spend: SPEND,
  seconds: 1,
  cached: false,
  cancelled: false,
  ...more,
});

describe("lanes", () => {
  test("a member streams, and its answer's cost is counted at the end", () => {
    const state = told(STARTED, begins("alpha"), writes("alpha", "Add "), writes("alpha", "it."));
    expect(state.lanes[0]?.pieces).toEqual([
      { number: 0, purpose: "draft", sample: 0, text: "Add it.", dropped: 0 },
    ]);
    expect(state.lanes[0]?.running).toEqual(["draft"]);
    const ended = told(STARTED, begins("alpha"), writes("alpha", "Add it."), ends("alpha"));
    expect(ended.lanes[0]).toMatchObject({ running: [], ended: "answered", spend: SPEND, written: 0 });
  });

  test("a member that was not asked before the job ended says so, and does not wait for ever", () => {
    const ended = told(STARTED, {
      kind: "finished",
      status: "done",
      reason: "",
      spend: SPEND,
      seconds: 0.2,
    });
    expect(ended.lanes[0]?.ended).toBe("unasked");
  });

  test("a second answer is a piece of its own", () => {
    const state = told(
      STARTED,
      begins("alpha"),
      writes("alpha", "A"),
      ends("alpha"),
      begins("alpha", "critique"),
    );
    expect(state.lanes[0]?.pieces.map((piece) => piece.purpose)).toEqual(["draft", "critique"]);
  });

  test("what a member writes in two calls at once is not mixed", () => {
    const two = told(
      STARTED,
      begins("alpha", "draft", 0),
      begins("alpha", "draft", 1),
      writes("alpha", "The loop", 0),
      writes("alpha", "It must", 1),
      writes("alpha", " forgets.", 0),
      writes("alpha", " add.", 1),
    );
    expect(two.lanes[0]?.pieces.map((piece) => piece.text)).toEqual(["The loop forgets.", "It must add."]);
  });

  test("a member that joins later gets a lane when it speaks", () => {
    expect(told(STARTED, begins("strong")).lanes.map((lane) => lane.member)).toEqual(["alpha", "strong"]);
  });

  test("an error is shown without the member's name before it", () => {
    const state = told(STARTED, begins("alpha"), ends("alpha", { error: "alpha: no such model" }));
    expect(state.lanes[0]).toMatchObject({ ended: "failed", error: "no such model" });
  });

  test("text is bounded, and it is known how much of it is gone", () => {
    const long = Array.from({ length: 20 }, () => writes("alpha", "x".repeat(1_000)));
    const [piece] = told(STARTED, begins("alpha"), ...long).lanes[0]?.pieces ?? [];
    expect(piece?.text.length).toBe(KEPT_CHARACTERS);
    expect(piece?.dropped).toBe(20_000 - KEPT_CHARACTERS);
  });

  test("whoever still writes when the job ends is cancelled", () => {
    const state = told(STARTED, begins("alpha"), {
      kind: "finished",
      status: "cancelled",
      reason: "cancelled",
      spend: SPEND,
      seconds: 3,
    });
    expect(state.lanes[0]).toMatchObject({ running: [], ended: "cancelled" });
    expect(isRunning(state)).toBe(false);
  });
});

test("an event that comes twice counts once", () => {
  const [first, second] = events([STARTED, begins("alpha")]);
  if (first === undefined || second === undefined) throw new Error("two events");
  const once = heardAll(unheard("j"), [first, second]);
  expect(heard(once, second)).toBe(once);
  expect(heard(once, first)).toBe(once);
});

test("events of another job change nothing", () => {
  const state = unheard("j");
  expect(heard(state, { ...begins("alpha"), job: "other", seq: 0, time: 1 })).toBe(state);
});

test("critiques are numbered from 1 in their order, with the round they belong to", () => {
  const critique: Body = {
    kind: "critique",
    from: "beta",
    against: ["alpha"],
    about: "c1",
    claim: "It breaks.",
    evidence: "failed",
    broke: true,
  };
  const state = told(STARTED, { kind: "phase", phase: "critique", round: 2, note: "" }, critique, critique);
  expect(state.critiques.map(({ number, round }) => [number, round])).toEqual([
    [1, 2],
    [2, 2],
  ]);
});

test("where a member stands is news only when it changes", () => {
  const stands = (stance: string, moved = false, because = ""): Body => ({
    kind: "position",
    member: "alpha",
    stance,
    round: 1,
    moved,
    because,
  });
  const state = told(STARTED, stands("A"), stands("A"), stands("B", true, "line 4"), stands("B"));
  expect(state.steps.map((step) => [step.kind, step.text])).toEqual([
    ["stands", "A"],
    ["moved", "B"],
    ["stands", "B"],
  ]);
});

test("a move without evidence is conformity", () => {
  const state = told(STARTED, {
    kind: "position",
    member: "alpha",
    stance: "B",
    round: 1,
    moved: true,
    because: "",
  });
  expect(state.steps[0]).toMatchObject({ kind: "moved", conformity: true });
});
