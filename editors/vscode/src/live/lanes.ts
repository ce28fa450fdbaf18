/** A member's lane: what it writes, is doing and has cost, and what each of its calls changes in that. */
import type { EventOf, Seat, Spend } from "../protocol.js";

/** Characters of a member's text that are kept: more than a lane shows, little enough for fifteen lanes. */
export const KEPT_CHARACTERS = 6_000;

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

export const NOTHING: Spend = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/** A lane that nothing was heard of. */
export function lane(member: string, family: string, model = "", local = false): Lane {
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

/** The lanes of a panel, in its order; those of members that are not on it stay behind them. */
export function seated(lanes: readonly Lane[], panel: readonly Seat[]): Lane[] {
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

/** A lane when its job ends. */
export function left(lane: Lane): Lane {
  if (lane.running.length > 0) return { ...lane, running: [], ended: "cancelled", speed: undefined };
  return lane.ended === "" && lane.pieces.length === 0 ? { ...lane, ended: "unasked" } : lane;
}

/** A lane when one of its calls begins. */
export function begin(lane: Lane, purpose: string, sample: number): Lane {
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

/** A lane when more of an answer has come. */
export function written(lane: Lane, { sample, text, tokensPerSecond }: EventOf<"memberDelta">): Lane {
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

/** A lane when one of its calls ended. */
export function finish(lane: Lane, event: EventOf<"memberFinished">): Lane {
  return {
    ...lane,
    running: without(lane.running, event.purpose),
    ended: event.cancelled ? "cancelled" : event.error ? "failed" : "answered",
    spend: sum(lane.spend, event.spend),
    error: (event.error ?? "").replace(`${event.member}: `, ""),
    written: 0,
    speed: undefined,
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
