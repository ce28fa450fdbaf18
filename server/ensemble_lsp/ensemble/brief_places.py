"""The places that a small local member names: lines chosen among those it is shown, and what should stand there.

Asked for the form of large models, one of half a billion parameters spends three times the tokens, takes the name of
a quotation for a path and cites the test's assertion, whatever it is told. So it is held to the lines of the code, and
writes code instead of reasons, which it is better at. A line that it would leave as it is is no vote.
"""

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict, Field, create_model

from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.code_lines import code_lines
from ensemble_lsp.ensemble.ports import Excerpt
from ensemble_lsp.ensemble.prompts.numbered import numbered

BRIEF_PLACES_AT_MOST = 3
_MOST_CHOICES = 240
"""Lines that an answer is held to; of more a member may quote any. The grammar made of them is gone through for every
token."""
_LONGEST_TITLE = 120
_DIGITS = 6
_UNSAID = 0.5
"""The confidence of one that was not asked for it; a vote counts by its rank."""


def _without_title(schema: dict[str, Any]) -> None:
    schema["properties"].pop("title", None)


class BriefPlace(AnswerForm):
    """One place. The quote decides; it begins with its number, as the line is shown."""

    model_config = ConfigDict(json_schema_extra=_without_title)

    path: str = Field(max_length=120)
    quote: str = Field(max_length=200)
    instead: str = Field(max_length=160)
    """The line as it should be."""
    title: str = ""
    """What is wrong there, in words: not asked for, but read."""

    @property
    def changes_nothing(self) -> bool:
        """Whether the line would stay as it is."""
        before, after = _without_number(self.quote).split(), _without_number(self.instead).split()
        return before == after


class BriefPlaces(AnswerForm):
    """What a small local member returns, the most likely place first."""

    findings: list[BriefPlace] = Field(max_length=BRIEF_PLACES_AT_MOST)


def brief_places(shown: Sequence[Excerpt]) -> type[BriefPlaces]:
    """Return the form that only lines of the excerpts fit in, where members can be held to a form at all.

    What others answer is read all the same. Excerpts of tests are no places.
    """
    lines = [line for excerpt in shown for line in _lines_of_code(excerpt)]
    if not 0 < len(lines) <= _MOST_CHOICES:
        return BriefPlaces
    paths = list(dict.fromkeys(excerpt.path for excerpt in shown))
    place = _chosen(paths, list(dict.fromkeys(lines)))
    listed = Field(max_length=BRIEF_PLACES_AT_MOST)
    chosen = list[place]
    return create_model("ChosenPlaces", __base__=BriefPlaces, findings=(chosen, listed))


def _chosen(paths: list[str], lines: list[str]) -> type[BriefPlace]:
    """Return the form of one place; only its schema is narrower, so that other answers are read, too."""
    return create_model(
        "ChosenPlace",
        __base__=BriefPlace,
        path=(str, Field(json_schema_extra={"enum": [*paths]})),
        quote=(str, Field(json_schema_extra={"enum": [*lines]})),
    )


def _lines_of_code(excerpt: Excerpt) -> list[str]:
    lines = numbered(excerpt).split("\n")
    code = code_lines(excerpt.text) if excerpt.path.endswith(".py") else range(len(lines))
    written = (
        (number, line, line.partition("|")[2].strip("()[]{},; \t\r")) for number, line in enumerate(lines)
    )
    return [line for number, line, words in written if number in code and words]


def as_drafts(answer: Frozen) -> object:
    """Return a brief answer as what the full form reads; an answer of another form as it is."""
    if not isinstance(answer, BriefPlaces):
        return answer.model_dump()
    return {
        "findings": [
            {
                "path": place.path,
                "line": _number(place.quote) or 1,
                "end_line": _number(place.quote) or 1,
                "quote": place.quote,
                "severity": Severity.WARNING,
                "category": "fault",
                "title": place.title
                or f"It should be: {_without_number(place.instead).strip()}"[:_LONGEST_TITLE],
                "detail": "",
                "confidence": _UNSAID,
            }
            for place in answer.findings
            if not place.changes_nothing
        ]
    }


def _number(quote: str) -> int:
    """Return the number that a quoted line begins with, 0 for none: then the text alone has to do."""
    number, bar, _ = quote.partition("|")
    return int(number) if bar and number.strip().isdecimal() and len(number) <= _DIGITS else 0


def _without_number(line: str) -> str:
    return line.partition("|")[2] if _number(line) else line
