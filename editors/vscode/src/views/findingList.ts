/** Which findings a person sees, in which order and groups. Pure. */
import type { Band, Evidence, Finding, Severity } from "../protocol.js";

/** A finding where it is now: its place comes from the editor, the rest from the job that made it. */
export interface ShownFinding {
  readonly id: string;
  readonly uri: string;
  /** 0-based. */
  readonly line: number;
  readonly column: number;
  /** The diagnostic's message. */
  readonly message: string;
  readonly severity: Severity;
  readonly category: string;
  /** What is known of it; undefined for one of an earlier session. */
  readonly finding: Finding | undefined;
}

export type Grouping = "file" | "confidence";

export interface Group {
  readonly kind: "group";
  /** A URI, a band, or `PLACES`. */
  readonly key: string;
  readonly findings: readonly ShownFinding[];
}

export interface Shown {
  readonly grouping: Grouping;
  readonly verifiedOnly: boolean;
}

/** Key of the group of places where a fault may be, and their category. */
export const PLACES = "fault-location";

/** Rank from which evidence is more than words: a static tool, or something that was run. */
const STATIC = 2;

const BANDS: readonly Band[] = ["high", "medium", "low"];

const SEVERITIES: readonly Severity[] = ["critical", "warning", "info", "hint"];

/** Whether a tool or a run stands behind it, not only members. */
export function isVerified(shown: ShownFinding): boolean {
  return (shown.finding?.evidence ?? []).some(backs);
}

export function backs(evidence: Evidence): boolean {
  return evidence.rank >= STATIC && evidence.outcome !== "notRun" && evidence.outcome !== "error";
}

/**
 * The groups in their order: places of a fault as they are ranked, then files by name, or bands from high to low; within
 * those, by severity and line.
 */
export function grouped(findings: readonly ShownFinding[], shown: Shown): Group[] {
  const groups = new Map<string, ShownFinding[]>();
  for (const each of findings) {
    if (shown.verifiedOnly && !isVerified(each)) continue;
    const key = keyOf(each, shown.grouping);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const place = (key: string) => BANDS.indexOf(key as Band);
  return [...groups]
    .map(([key, list]): Group => ({
      kind: "group",
      key,
      findings: list.sort(key === PLACES ? byRank : byWeight),
    }))
    .sort((one, other) => {
      if (one.key === PLACES || other.key === PLACES) return one.key === PLACES ? -1 : 1;
      return shown.grouping === "file" ? one.key.localeCompare(other.key) : place(one.key) - place(other.key);
    });
}

function keyOf(each: ShownFinding, grouping: Grouping): string {
  if (each.category === PLACES) return PLACES;
  return grouping === "file" ? each.uri : (each.finding?.band ?? "low");
}

/** Of a place its rank is its confidence. */
function byRank(one: ShownFinding, other: ShownFinding): number {
  return (other.finding?.confidence ?? 0) - (one.finding?.confidence ?? 0) || byWeight(one, other);
}

function byWeight(one: ShownFinding, other: ShownFinding): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    one.uri.localeCompare(other.uri) ||
    one.line - other.line
  );
}
