/** What a command about the place at the cursor sends to the server. */
import type { DiagnosticArgument, JobAction, PositionArgument, RangeArgument } from "../protocol.js";

/** The place in front of the person. Positions as the server counts them: 0-based, UTF-16. */
export interface Place {
  readonly uri: string;
  readonly selection: RangeArgument;
  /** The text of the selection. */
  readonly selected: string;
  /** Diagnostics that the selection, or the cursor's line, touches; ours among them. */
  readonly diagnostics: readonly (DiagnosticArgument & { readonly finding?: string })[];
}

export interface PlaceArgument {
  uri: string;
  range?: RangeArgument;
  diagnostics?: DiagnosticArgument[];
  finding?: string;
  /** Of a search for a fault: by the text of the range, such as a traceback. */
  report?: "selection";
  scope?: "range" | "file";
}

/** What names a line of a file as tracebacks do: of Python, of JavaScript and Java, of compilers and test runners. */
const FRAME = /^\s*File ".+", line \d+|^\s*at .+:\d+\)?|^\s*\S+\.\w+:\d+\b/m;

/** Names of the actions that work on the place at the cursor. */
export const PLACE_ACTIONS = [
  "fix",
  "review",
  "explain",
  "test",
  "secure",
  "locate",
  "refactor",
  "rewrite",
  "debate",
] as const satisfies readonly JobAction[];

export type PlaceAction = (typeof PLACE_ACTIONS)[number];

export function placeArgument(action: PlaceAction, place: Place): PlaceArgument {
  const argument: PlaceArgument = { uri: place.uri, range: place.selection };
  if (action === "locate" && FRAME.test(place.selected)) return { ...argument, report: "selection" };
  if (action === "review") return { ...argument, scope: "range" };
  if (action !== "fix" || place.diagnostics.length === 0) return argument;
  const finding = place.diagnostics.find((each) => each.finding !== undefined)?.finding;
  if (finding !== undefined) return { ...argument, finding };
  const diagnostics = place.diagnostics.map(({ finding, ...diagnostic }) => diagnostic);
  return { uri: place.uri, range: spanOf(diagnostics.map(({ range }) => range)), diagnostics };
}

/** The smallest range around all of some ranges; there is at least one. */
export function spanOf(ranges: readonly RangeArgument[]): RangeArgument {
  const starts = ranges.map(({ start }) => start).sort(before);
  const ends = ranges.map(({ end }) => end).sort(before);
  const [start, end] = [starts[0], ends.at(-1)];
  if (start === undefined || end === undefined) throw new RangeError("no ranges");
  return { start, end };
}

function before(one: PositionArgument, other: PositionArgument): number {
  return one.line - other.line || one.character - other.character;
}
