/** One proposal as the person looks at it: which candidate, which hunks are ticked, where they stand. */
import type { ProposalFile, ProposalHunk, ProposalMessage } from "../protocol.js";

export interface Review {
  /** The newest message, seen with the candidate that the person chose. */
  readonly message: ProposalMessage;
  /** Ids of hunks that the person left out; kept while the text moves, since ids stay the same. */
  readonly unticked: ReadonlySet<string>;
}

/** A hunk on both sides of its diff. Lines are 0-based, ends exclusive. */
export interface PlacedHunk {
  readonly hunk: ProposalHunk;
  readonly ticked: boolean;
  readonly before: { readonly start: number; readonly end: number };
  readonly after: { readonly start: number; readonly end: number };
}

export type Side = "before" | "after";

export function canTick(file: ProposalFile, hunk: ProposalHunk): boolean {
  return !hunk.conflict && file.conflict === "";
}

export function isTicked(review: Review, file: ProposalFile, hunk: ProposalHunk): boolean {
  return canTick(file, hunk) && !review.unticked.has(hunk.id);
}

/** Ids of the ticked hunks, of one file or of all. */
export function tickedHunks(review: Review, uri?: string): string[] {
  return review.message.files
    .filter((file) => uri === undefined || file.uri === uri)
    .flatMap((file) => file.hunks.filter((hunk) => isTicked(review, file, hunk)).map((hunk) => hunk.id));
}

export function allHunks(message: ProposalMessage): ProposalHunk[] {
  return message.files.flatMap((file) => file.hunks);
}

export function conflicts(message: ProposalMessage): number {
  return message.files.flatMap((file) => file.hunks.map((hunk) => !canTick(file, hunk))).filter(Boolean)
    .length;
}

/** Where the hunks of a file stand in the two texts of its diff: what is not ticked is not in the second one. */
export function placedHunks(review: Review, file: ProposalFile): PlacedHunk[] {
  let shift = 0;
  return [...file.hunks]
    .sort((one, other) => one.oldStart - other.oldStart)
    .map((hunk) => {
      const ticked = isTicked(review, file, hunk);
      const lines = ticked ? hunk.newLines.length : hunk.oldLines.length;
      const start = hunk.oldStart + shift;
      shift += lines - hunk.oldLines.length;
      return {
        hunk,
        ticked,
        before: { start: hunk.oldStart, end: hunk.oldStart + hunk.oldLines.length },
        after: { start, end: start + lines },
      };
    });
}

/** The hunk at a line of one side; a hunk without lines there counts for the line that follows it. */
export function hunkAt(placed: readonly PlacedHunk[], side: Side, line: number): PlacedHunk | undefined {
  return placed.find((each) => {
    const { start, end } = each[side];
    return line >= start && line < Math.max(end, start + 1);
  });
}

/** Where a hunk stands in the whole proposal. */
export interface Stop {
  readonly file: ProposalFile;
  readonly placed: PlacedHunk;
}

/** All hunks in the order in which a person walks through them. */
export function stops(review: Review): Stop[] {
  return review.message.files.flatMap((file) =>
    placedHunks(review, file).map((placed) => ({ file, placed })),
  );
}

/**
 * The stop after (or before) a place, across files and around the ends; the first one when the place is in no
 * file of the proposal.
 */
export function step(
  review: Review,
  from: { readonly uri: string; readonly side: Side; readonly line: number } | undefined,
  direction: 1 | -1,
): Stop | undefined {
  const all = stops(review);
  if (all.length === 0) return undefined;
  const files = review.message.files.map((file) => file.uri);
  const here = from === undefined ? -1 : files.indexOf(from.uri);
  if (from === undefined || here === -1) return direction === 1 ? all[0] : all.at(-1);
  const isBeyond = ({ file, placed }: Stop): boolean => {
    const index = files.indexOf(file.uri);
    if (index !== here) return (index - here) * direction > 0;
    const { start, end } = placed[from.side];
    return direction === 1 ? start > from.line : Math.max(end, start + 1) <= from.line;
  };
  return direction === 1 ? (all.find(isBeyond) ?? all[0]) : (all.findLast(isBeyond) ?? all.at(-1));
}
