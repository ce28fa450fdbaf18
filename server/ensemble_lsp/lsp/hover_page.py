"""What stands behind a finding, as a page for a hover: in Markdown, or in plain text for clients without it.

Every word of a model, a tool or a repository goes through the style, which makes it harmless.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.markdown import code_block, code_span, sanitise_inline, visible
from ensemble_lsp.lsp.findings import Review, TrackedFinding

LISTED_AT_MOST = 6
"""Pieces of evidence and objections each; the transcript has all of them."""

WORDS_AT_MOST = 600
"""Characters of one statement; the transcript has the whole."""

_OUTCOMES = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.TIMED_OUT: "timed out",
    Outcome.ERROR: "could not run",
    Outcome.NOT_RUN: "was not run",
}


class Markdown:
    """Renders in a client that shows Markdown."""

    def words(self, text: str) -> str:
        """Return somebody's words on one line."""
        return sanitise_inline(_cut(text))

    def strong(self, text: str) -> str:
        """Return words that stand out."""
        return f"**{self.words(text)}**"

    def name(self, text: str) -> str:
        """Return a name or a place."""
        return code_span(text)

    def code(self, text: str, language: str) -> str:
        """Return lines of the program."""
        return code_block(text, language)

    def join(self, pages: Sequence[str]) -> str:
        """Return several pages as one."""
        return "\n\n---\n\n".join(pages)


class Plain(Markdown):
    """Renders where every character is shown as it is."""

    def words(self, text: str) -> str:
        """Return somebody's words on one line."""
        return " ".join(visible(_cut(text)).split())

    def strong(self, text: str) -> str:
        """Return words that stand out by their place alone."""
        return self.words(text)

    def name(self, text: str) -> str:
        """Return a name or a place."""
        return self.words(text)

    def code(self, text: str, language: str) -> str:
        """Return lines of the program, indented."""
        del language
        return "\n".join(f"    {line}" for line in visible(text).split("\n"))

    def join(self, pages: Sequence[str]) -> str:
        """Return several pages as one."""
        return "\n\n".join(pages)


MARKDOWN, PLAIN = Markdown(), Plain()


def page_of(tracked: TrackedFinding, style: Markdown, language: str) -> str:
    """Return what stands behind a finding: who said it, the evidence, who objected, and what it cost.

    `language` is the editor's name of the document's language.
    """
    finding = tracked.finding
    head = f"{finding.severity.value} · {style.words(finding.category)} · {finding.band.value} confidence"
    parts = [
        style.strong(finding.title),
        f"{head} ({finding.confidence:.2f})",
        style.words(finding.detail),
        style.code(finding.quote, language) if finding.quote.strip() else "",
        _voices(finding, tracked.review, style),
        _listed("Evidence", [_evidence(item, style) for item in finding.evidence]),
        _listed("Against it", _objections(finding, style)),
        _review(tracked.review, style),
    ]
    return "\n\n".join(part for part in parts if part.strip())


def cost_of(spend: Spend) -> str:
    """Return what was spent, in words: "3 calls · 12,345 tokens · $0.0123"."""
    calls = "1 call" if spend.calls == 1 else f"{spend.calls} calls"
    return f"{calls} · {spend.tokens_in + spend.tokens_out:,} tokens · ${spend.usd:.4f}"


def _voices(finding: Finding, review: Review, style: Markdown) -> str:
    because = f"Kept because: {style.words(finding.reason)}." if finding.reason else ""
    if not finding.members:
        return " ".join(part for part in ("No member of the panel mentioned it.", because) if part)
    members = ", ".join(style.name(member) for member in finding.members)
    families = ", ".join(style.words(family) for family in finding.families)
    count = len(finding.families)
    plural = "family" if max(review.families, count) == 1 else "families"
    counted = (
        f"{count} of {review.families} {plural} asked" if review.families >= count else f"{count} {plural}"
    )
    return f"Said by {members} ({families}): {counted}. {because}".rstrip()


def _evidence(item: Evidence, style: Markdown) -> str:
    where = f" ({style.name(item.target)})" if item.target else ""
    confined = f" [{style.words(item.sandbox)}]" if item.sandbox else ""
    return (
        f"{style.name(item.witness)} {_OUTCOMES[item.outcome]}{where}: {style.words(item.summary)}{confined}"
    )


def _objections(finding: Finding, style: Markdown) -> list[str]:
    said = [
        f"{style.name(item.member)} ({style.words(item.family)}): {style.words(item.text)}"
        for item in finding.dissent
    ]
    return [*said, *(_evidence(item, style) for item in finding.against)]


def _listed(heading: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    more = [f"and {len(lines) - LISTED_AT_MOST} more"] if len(lines) > LISTED_AT_MOST else []
    return "\n".join((f"{heading}:", "", *(f"- {line}" for line in (*lines[:LISTED_AT_MOST], *more))))


def _review(review: Review, style: Markdown) -> str:
    when = (
        f"{datetime.fromtimestamp(review.ended, UTC).astimezone():%Y-%m-%d %H:%M} · " if review.ended else ""
    )
    return f"The whole review: {when}{cost_of(review.spend)} · job {style.name(review.job)}"


def _cut(text: str) -> str:
    return text if len(text) <= WORDS_AT_MOST else f"{text[: WORDS_AT_MOST - 1]}…"
