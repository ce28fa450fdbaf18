/** How proposals, candidates and hunks are called: plain text, without markup. Texts of models stay as they are. */
import type { HunkEvidence, Outcome, ProposalCandidate, ProposalHunk, ProposalMessage } from "../protocol.js";

/** Translates a message with `{0}`-like places; `vscode.l10n.t` in the editor. */
export type Translate = (message: string, ...values: (string | number)[]) => string;

export const dollars = (usd: number): string => (usd === 0 ? "$0" : `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`);

/** "verified · 3 families · $0.012". */
export function standing(message: ProposalMessage, t: Translate): string {
  const chosen = message.candidates.find((each) => each.id === message.candidate);
  const parts = [statusInWords(message, t), families(chosen?.families ?? [], t), dollars(message.spend.usd)];
  return parts.filter((part) => part !== "").join(" · ");
}

function statusInWords({ status, weak }: ProposalMessage, t: Translate): string {
  switch (status) {
    case "verified":
      return weak ? t("verified, but weakly") : t("verified");
    case "agreed":
      return t("agreed");
    case "unverified":
      return t("unverified");
  }
}

export function families(names: readonly string[], t: Translate): string {
  if (names.length === 0) return "";
  return names.length === 1 ? t("1 family") : t("{0} families", names.length);
}

export function outcomeSign(outcome: Outcome | undefined): string {
  switch (outcome) {
    case "passed":
      return "✓";
    case "failed":
      return "✗";
    case "timedOut":
    case "error":
      return "!";
    case "notRun":
    case undefined:
      return "·";
  }
}

/** "anthropic, openai · pytest ✓": all that stands behind a hunk, short. */
export function evidenceInShort(evidence: readonly HunkEvidence[]): string {
  return evidence
    .filter((each) => each.kind === "families" || each.kind === "check")
    .map((each) => (each.kind === "check" ? `${each.source} ${outcomeSign(each.outcome)}` : each.source))
    .join(" · ");
}

/** "Line 4: result += price", 1-based as people count, or what a hunk does to a whole file. */
export function hunkTitle(hunk: ProposalHunk, t: Translate): string {
  const first = (hunk.newLines.find((line) => line.trim() !== "") ?? hunk.oldLines[0] ?? "").trim();
  const start = hunk.oldStart + 1;
  const end = hunk.oldStart + hunk.oldLines.length;
  const where = end > start ? t("Lines {0}–{1}", start, end) : t("Line {0}", start);
  return first === "" ? where : `${where}: ${first.length > 60 ? `${first.slice(0, 59)}…` : first}`;
}

/** "−2 +3". */
export function hunkSize(hunk: ProposalHunk): string {
  return `−${hunk.oldLines.length} +${hunk.newLines.length}`;
}

export function candidateTitle(candidate: ProposalCandidate, t: Translate): string {
  const names = candidate.families.join(", ");
  return candidate.chosen ? t("{0} (the panel's choice)", names) : names;
}

export function candidateChecks(candidate: ProposalCandidate): string {
  return [
    ...candidate.checks.map((check) => `${check.witness} ${outcomeSign(check.outcome)}`),
    dollars(candidate.cost),
  ].join(" · ");
}
