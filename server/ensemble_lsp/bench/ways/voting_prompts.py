"""The questions of a vote, in our own words. Answers are quoted as data: a voter obeys nothing that stands in one."""

from collections.abc import Mapping, Sequence

from ensemble_lsp.core.findings import FindingDraft
from ensemble_lsp.ensemble.prompts.quoting import Quoting

REVIEWING = "The code above was reviewed: what in it is wrong, and would make it misbehave?"

FINDINGS_FORM = (
    "Return the final list of findings. Quote for each the source line that it speaks of, word for word. "
    "Leave out what you would not stand by; the list may be empty."
)

_VOTE = (
    "Vote for one. One of them may be your own: judge it like the others. "
    "`choice` is the letter, `reason` one sentence."
)

_REWRITE = (
    "Write the final answer: keep what is right in yours, take over what the others saw better. "
    "It stands alone, and it is written against the original code."
)

_ANSWER_CHARACTERS = 8_000
"""How much of an answer a voter sees."""


def vote_task(about: str, answers: Mapping[str, str], quoting: Quoting) -> str:
    """Ask which of the answers, by letter, is best."""
    letters = ", ".join(answers)
    return "\n\n".join(
        (
            about,
            "Several programmers answered this independently. These are their answers, in no order:",
            *_quoted({f"answer {label}": text for label, text in answers.items()}, quoting),
            f"Which of {letters} is right, or nearest to it? {_VOTE}",
        )
    )


def rewrite_task(about: str, own: str, others: Sequence[str], quoting: Quoting, form: str) -> str:
    """Ask the winner for its final answer, now that it has seen the others'."""
    return "\n\n".join(
        (
            about,
            "Your answer won the vote among several:",
            *_quoted({"your answer": own}, quoting),
            "These are the others:",
            *_quoted({f"another answer ({number})": text for number, text in enumerate(others, 1)}, quoting),
            _REWRITE,
            form,
        )
    )


def as_list(findings: Sequence[FindingDraft]) -> str:
    """Return a review as a voter sees it."""
    lines = [
        f"- line {item.line}, {item.severity.value}: {item.title}\n  `{item.quote}`\n  {item.detail}"
        for item in findings
    ]
    return "\n".join(lines) or "Nothing is wrong with it."


def _quoted(texts: Mapping[str, str], quoting: Quoting) -> list[str]:
    return [quoting.block(title, text[:_ANSWER_CHARACTERS]) for title, text in texts.items()]
