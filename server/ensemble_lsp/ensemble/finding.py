"""Finding: the blind reviewers, the tools beside them, and placing what they say in the file."""

from collections.abc import Sequence

from pydantic import Field, field_validator

from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.events import Action, CheckFinished
from ensemble_lsp.core.evidence import CheckReport, Outcome, Rank, Severity
from ensemble_lsp.core.findings import Dissent, FindingDraft
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.blind import Forms, Said, Voice, ask_blind
from ensemble_lsp.ensemble.issues import Raised, place_draft
from ensemble_lsp.ensemble.prompts.reviewing import find_task
from ensemble_lsp.ensemble.prompts.securing import find_holes_task
from ensemble_lsp.ensemble.sitting import Sitting, unless_stopped

FINDER_TOKENS = 4_000
BRIEF_FINDER_TOKENS = 1_000
"""Output tokens of a small local finder: at 11 tokens a second this is 90 seconds."""
FINDINGS_AT_MOST = 12
BRIEF_FINDINGS_AT_MOST = 4


_SEVERITIES = {
    "blocker": Severity.CRITICAL,
    "high": Severity.CRITICAL,
    "error": Severity.CRITICAL,
    "major": Severity.WARNING,
    "medium": Severity.WARNING,
    "minor": Severity.INFO,
    "low": Severity.INFO,
}
"""Other scales' words, for members that cannot be held to the schema."""


class Draft(FindingDraft, AnswerForm):
    """A finding as a member states it."""

    @field_validator("severity", mode="before")
    @classmethod
    def _in_our_words(cls, value: object) -> object:
        word = value.strip().lower() if isinstance(value, str) else value
        return _SEVERITIES.get(word, word) if isinstance(word, str) else word


class BriefDraft(Draft):
    """A finding as a small local member states it: short enough to be finished in time."""

    path: str = Field(max_length=120)
    quote: str = Field(max_length=160)
    category: str = Field(max_length=20)
    title: str = Field(max_length=80)
    detail: str = Field(max_length=240)


class Drafts(AnswerForm):
    """What a finder returns."""

    findings: list[Draft] = Field(max_length=FINDINGS_AT_MOST)


class BriefDrafts(AnswerForm):
    """What a small local finder returns."""

    findings: list[BriefDraft] = Field(max_length=BRIEF_FINDINGS_AT_MOST)


async def baseline(sitting: Sitting) -> CheckReport | None:
    """Run the tools on the code as it is; None when they could not be run or were not waited for."""
    try:
        report = await unless_stopped(sitting.deliberation, sitting.deliberation.checks.baseline())
    except CheckError as problem:
        sitting.note(f"the tools could not be run: {problem.message}")
        return None
    for item in report.evidence if report else ():
        sitting.deliberation.emit(
            CheckFinished(
                witness=item.witness, target=item.target, outcome=item.outcome, summary=item.summary
            )
        )
        if item.rank is Rank.EXECUTED and item.outcome is Outcome.FAILED:
            said = sitting.quoting.redact(item.summary)
            sitting.note(f"before any change, {item.witness} fails: {said}")
    return report


async def find(sitting: Sitting, voices: Sequence[Voice]) -> list[Said[Drafts]]:
    """Ask all finders blind and at once; those that stay silent are noted."""
    deliberation = sitting.deliberation

    def task(voice: Voice) -> str:
        at_most = BRIEF_FINDINGS_AT_MOST if voice.member.local else FINDINGS_AT_MOST
        ask = find_holes_task if deliberation.task.action is Action.SECURE else find_task
        return ask(deliberation.task, deliberation.dossier, sitting.quoting, voice.style, at_most)

    forms = Forms(Drafts, BriefDrafts, FINDER_TOKENS, BRIEF_FINDER_TOKENS)
    return await ask_blind(sitting, voices, forms, task, purpose="draft")


def grounded(sitting: Sitting, said: Sequence[Said[Drafts]], focus_path: str) -> list[Raised]:
    """Place every draft in its file; what is not there becomes dissent."""
    raised: list[Raised] = []
    for answer in said:
        member = answer.voice.member
        for number, draft in enumerate(answer.value.findings):
            placed = place_draft(draft, sitting.deliberation.dossier, focus_path)
            ident = f"{answer.voice.id}#{number:02}"
            if isinstance(placed, str):
                text = f"{draft.title}: {draft.detail} (dropped: {placed})"
                sitting.keep_dissent(Dissent(member=member.id, family=member.family, about=ident, text=text))
            else:
                raised.append(Raised(ident, answer.voice, draft, *placed))
    return raised
