/** Numbers as people read them, the same in every view. Pure. */
import type { Lane } from "./lanes.js";
import type { JobState } from "./state.js";

/** "$0.40", "$0.012", "$0.0003". */
export function money(usd: number): string {
  if (usd <= 0) return "$0.00";
  return `$${usd.toFixed(usd >= 0.1 ? 2 : usd >= 0.01 ? 3 : 4)}`;
}

/** "950", "4.1k", "1.2M". */
export function count(number: number): string {
  if (number < 1_000) return String(Math.round(number));
  if (number < 999_950) return `${(number / 1_000).toFixed(1)}k`;
  return `${(number / 1_000_000).toFixed(1)}M`;
}

/** "< 1 s", "8 s", "2 min 5 s". */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.5) return "< 1 s";
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** A text piece is about four characters a token: good enough while the true number is not known. */
const CHARACTERS_A_TOKEN = 4;

/** Output tokens of a lane, those that are written now with it. */
export function tokensOf(lane: Lane): number {
  return lane.spend.tokensOut + Math.round(lane.written / CHARACTERS_A_TOKEN);
}

/** Dollars so far: what the job reports, or the sum of what its members did, whichever is known to be more. */
export function spentOn(state: JobState): number {
  const members = state.lanes.reduce((total, lane) => total + lane.spend.usd, 0);
  return Math.max(state.spend.usd, members);
}

/**
 * About what a debate of `rounds` rounds would cost that goes on from the drafts: one call a member and round,
 * and a last one to conclude, at the average price of the calls so far. Undefined when nothing is known.
 */
export function debateCost(state: JobState, rounds = 1): number | undefined {
  const calls = state.lanes.reduce((total, lane) => total + lane.spend.calls, 0);
  if (calls > 0) return (spentOn(state) / calls) * (state.lanes.length * rounds + 1);
  if (state.estimate === undefined || state.estimate.callsExpected === 0) return undefined;
  return (state.estimate.usdExpected / state.estimate.callsExpected) * (state.lanes.length * rounds + 1);
}

/** Share of the way through the phases, 0 to 1: only rises as long as phases come in their order. */
export function progressOf(state: JobState): number {
  if (state.status !== undefined) return 1;
  const order = ["gather", "draft", "check", "critique", "revise", "escalate", "decide"];
  return state.phase === undefined ? 0 : (order.indexOf(state.phase) + 1) / (order.length + 1);
}

/** The file's name, for titles. */
export function fileOf(state: JobState): string {
  const path = decodeURIComponent(state.uri);
  return path.slice(path.lastIndexOf("/") + 1);
}
