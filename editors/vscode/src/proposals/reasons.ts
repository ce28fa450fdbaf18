/** "Why this change": a hunk's reason and evidence as Markdown in which texts of models are never markup. */
import type { HunkEvidence, ProposalHunk, ProposalMessage } from "../protocol.js";
import type { PlacedHunk } from "./review.js";
import { dollars, outcomeSign } from "./words.js";
import type { Translate } from "./words.js";

/** Escape everything that Markdown or the editor's renderer gives a meaning to; a line stays a line. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]()#+\-.!|<>~$&:@/="'^]/g, (sign) => `&#${String(sign.codePointAt(0))};`)
    .replaceAll(/\s*\n\s*/g, " ")
    .trim();
}

/** Markdown for a hunk; `commands` are links of our own, already written. */
export function reasons(
  message: ProposalMessage,
  placed: PlacedHunk,
  commands: string,
  t: Translate,
): string {
  const { hunk } = placed;
  // The title says how it stands and how many families wrote it.
  const parts = [`**${escaped(message.title)}** · ${escaped(dollars(message.spend.usd))}`];
  if (hunk.conflict) parts.push(...conflict(hunk, t));
  if (hunk.why.trim() !== "") parts.push(escaped(hunk.why));
  if (hunk.evidence.length > 0) parts.push(hunk.evidence.map((each) => `- ${evidence(each, t)}`).join("\n"));
  if (message.wouldSettle !== "")
    parts.push(`*${escaped(t("What would settle it: {0}", message.wouldSettle))}*`);
  if (message.dissent.length > 0) {
    const lines = message.dissent.map(
      (each) => `- ${escaped(`${each.member} (${each.family}): ${each.text}`)}`,
    );
    parts.push(`**${escaped(t("Dissent"))}**\n\n${lines.join("\n")}`);
  }
  if (commands !== "") parts.push(commands);
  return parts.join("\n\n");
}

/** What was proposed for lines that are not there any more. */
function conflict(hunk: ProposalHunk, t: Translate): string[] {
  const lines = [...hunk.oldLines.map((line) => `-${line}`), ...hunk.newLines.map((line) => `+${line}`)];
  return [
    `⚠ ${escaped(t("You changed these lines since: this change cannot be applied."))}`,
    codeBlock("diff", lines.map((line) => line.replace(/[\r\n]+$/, "")).join("\n")),
  ];
}

/** A block of code that no text inside can end. */
export function codeBlock(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function evidence(item: HunkEvidence, t: Translate): string {
  switch (item.kind) {
    case "check":
      return `${outcomeSign(item.outcome)} ${escaped(`${item.source}: ${item.text}`)}`;
    case "families":
      return escaped(t("The same lines came from {0}", item.source));
    case "finding":
    case "diagnostic":
      return escaped(`${item.source}: ${item.text}`);
  }
}
