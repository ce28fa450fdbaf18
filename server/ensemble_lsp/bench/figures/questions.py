"""Which pairs of ways a report compares, and which of them the run was made for."""

from collections.abc import Iterator, Sequence

from ensemble_lsp.bench.figures.comparisons import Question
from ensemble_lsp.bench.ways.catalogue import REVIEW_SAMPLES, Kind, Way

MODES = (Kind.PANEL, Kind.DEBATE, Kind.QUICK)
"""The product's modes; the first that was run is compared in the first place."""

_PARTS = {
    Kind.PANEL_NO_CRITIQUE: (Kind.PANEL, "critique"),
    Kind.PANEL_NO_REVISION: (Kind.PANEL, "revision"),
    Kind.PANEL_NO_SEARCH: (Kind.PANEL, "search"),
    Kind.DEBATE_NO_CRITIQUE: (Kind.DEBATE, "critique"),
    Kind.DEBATE_NO_REVISION: (Kind.DEBATE, "revision"),
}
_RIVALS = (
    ((Kind.SAMPLES, *REVIEW_SAMPLES), "the best single member × k"),
    ((Kind.SINGLE,), "the best single member's first answer"),
    ((Kind.STRONG,), "one strong call"),
    ((Kind.VOTING,), "voting"),
    ((Kind.SEARCH,), "search alone"),
)


def questions(ways: Sequence[Way]) -> tuple[Question, ...]:
    """Return what to compare: each mode with each sort of rival, modes with each other, and what each part adds.

    Leading is the first mode against the best single member × k, or against the first answers where nobody
    sampled.
    """
    modes = [kind for kind in MODES if _named(ways, (kind,))]
    asked = [question for mode in modes for question in _rivals(ways, mode)]
    asked += [
        Question(one.value, (two.value,), f"{one.value} or {two.value}")
        for place, one in enumerate(modes)
        for two in modes[place + 1 :]
    ]
    asked += [
        Question(whole.value, (kind.value,), f"what {part} adds to {whole.value}")
        for kind, (whole, part) in _PARTS.items()
        if _named(ways, (kind,)) and _named(ways, (whole,))
    ]
    return tuple(
        question._replace(leading=place == 0 and bool(modes)) for place, question in enumerate(asked)
    )


def _rivals(ways: Sequence[Way], mode: Kind) -> Iterator[Question]:
    for kinds, words in _RIVALS:
        rivals = _named(ways, kinds)
        if rivals:
            yield Question(mode.value, rivals, f"{mode.value} against {words}")


def _named(ways: Sequence[Way], kinds: Sequence[Kind]) -> tuple[str, ...]:
    return tuple(way.name for way in ways if way.kind in kinds)
