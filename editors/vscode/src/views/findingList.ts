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
  /** A URI, or a band. */
  readonly key: string;
  readonly findings: readonly ShownFinding[];
}

export interface Shown {
  readonly grouping: Grouping;
  readonly verifiedOnly: boolean;
}

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

/** The groups in their order: files by name, bands from high to low; within, by severity and line. */
export function grouped(findings: readonly ShownFinding[], shown: Shown): Group[] {
  const groups = new Map<string, ShownFinding[]>();
  for (const each of findings) {
    if (shown.verifiedOnly && !isVerified(each)) continue;
    const key = shown.grouping === "file" ? each.uri : (each.finding?.band ?? "low");
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const place = (key: string) => BANDS.indexOf(key as Band);
  return [...groups]
    .map(([key, list]): Group => ({ kind: "group", key, findings: list.sort(byWeight) }))
    .sort((one, other) =>
      shown.grouping === "file" ? one.key.localeCompare(other.key) : place(one.key) - place(other.key),
    );
}

function byWeight(one: ShownFinding, other: ShownFinding): number {
  return (
    SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
    one.uri.localeCompare(other.uri) ||
    one.line - other.line
  );
}
