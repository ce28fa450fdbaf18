"""Which ways there are, what each does in one sentence, and the words by which `--ways` names them."""

from collections.abc import Sequence
from enum import StrEnum

from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.panel import Panel


class Kind(StrEnum):
    """A sort of way; its value is the word of `--ways`."""

    SINGLE = "single"
    SAMPLES = "samples"
    UNION = "samples-union"
    PLURALITY = "samples-plurality"
    CHECKED = "samples-checked"
    STRONG = "strong"
    SEARCH = "search"
    VOTING = "voting"
    QUICK = "quick"
    PANEL = "panel"
    PANEL_NO_CRITIQUE = "panel-no-critique"
    PANEL_NO_REVISION = "panel-no-revision"
    PANEL_NO_SEARCH = "panel-no-search"
    DEBATE = "debate"
    DEBATE_NO_CRITIQUE = "debate-no-critique"
    DEBATE_NO_REVISION = "debate-no-revision"


DEFINITIONS: dict[Kind, str] = {
    Kind.SINGLE: "each member alone: its first answer",
    Kind.SAMPLES: "each member alone: up to k answers, the first that passes the checks",
    Kind.UNION: "each member alone: k reviews, everything that any of them reported",
    Kind.PLURALITY: "each member alone: k reviews, what at least half of them reported",
    Kind.CHECKED: "each member alone: k reviews, everything that any of them, the tools or the tests reported",
    Kind.STRONG: "one answer of the strong member, within what a panel may cost",
    Kind.SEARCH: "no member at all: what failing tests and small changes of what they run tell alone",
    Kind.VOTING: "every member answers, votes for one of the answers, and the winner rewrites its own",
    Kind.QUICK: "the mode quick",
    Kind.PANEL: "the mode panel",
    Kind.PANEL_NO_CRITIQUE: "the mode panel without critique",
    Kind.PANEL_NO_REVISION: "the mode panel without revision",
    Kind.PANEL_NO_SEARCH: "the mode panel without what failing tests and small changes of what they run tell",
    Kind.DEBATE: "the mode debate",
    Kind.DEBATE_NO_CRITIQUE: "the mode debate without critique",
    Kind.DEBATE_NO_REVISION: "the mode debate without revision",
}
"""Kind → what it does, in words for a person."""

REVIEW_SAMPLES = (Kind.UNION, Kind.PLURALITY, Kind.CHECKED)
"""What becomes of k reviews by one member; of a review what `SAMPLES` is of a fix."""

ONE_EACH = frozenset({Kind.SINGLE, Kind.SAMPLES, *REVIEW_SAMPLES})
"""Kinds that are one way for every member."""

_OF_FIX_ONLY = frozenset({Kind.SAMPLES})
_OF_REVIEW_ONLY = frozenset(REVIEW_SAMPLES)

DEFAULT = (
    Kind.SINGLE,
    Kind.SAMPLES,
    *REVIEW_SAMPLES,
    Kind.STRONG,
    Kind.VOTING,
    Kind.QUICK,
    Kind.PANEL,
    Kind.DEBATE,
)
"""What is compared when nothing is said: all but the ablations."""


class Way(Frozen):
    """One way of answering. `name` is what outcomes are recorded under: the kind, and for one member `kind:ID`."""

    name: str
    kind: Kind
    member: str = ""
    """The member that answers alone."""

    @property
    def definition(self) -> str:
        """What it does, in one sentence."""
        return DEFINITIONS[self.kind]


class LeftOut(Frozen):
    """A way that was asked for and is not run, and why, in words for the report."""

    way: str
    why: str


def kinds_of(text: str) -> tuple[Kind, ...]:
    """Read the value of `--ways`, words separated by commas; `all` is every way; raises `UsageError`.

    `samples` names the three ways of samples that a review has, too.
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    kinds: list[Kind] = []
    for word in words:
        if word == "all":
            kinds += list(Kind)
        elif word == "default":
            kinds += DEFAULT
        elif word in {kind.value for kind in Kind}:
            kind = Kind(word)
            kinds += [kind, *REVIEW_SAMPLES] if kind is Kind.SAMPLES else [kind]
        else:
            known = ", ".join(kind.value for kind in Kind)
            raise UsageError(f"no way {word!r}", field="--ways", hint=f"default, all, or some of: {known}")
    if not kinds:
        raise UsageError("no way is named", field="--ways", hint="--ways list shows them")
    return tuple(dict.fromkeys(kinds))


def ways_of(
    kinds: Sequence[Kind], subject: Subject, panel: Panel
) -> tuple[tuple[Way, ...], tuple[LeftOut, ...]]:
    """Return the ways that this panel can run on this subject, and those that it cannot, each with its reason."""
    ways: list[Way] = []
    left_out: list[LeftOut] = []
    for kind in kinds:
        if kind in (_OF_REVIEW_ONLY if subject is Subject.FIX else _OF_FIX_ONLY):
            continue
        why = _cannot(kind, subject, panel)
        if why:
            left_out.append(LeftOut(way=kind.value, why=why))
        elif kind in ONE_EACH:
            ways += [Way(name=f"{kind.value}:{each.id}", kind=kind, member=each.id) for each in panel.members]
        elif kind is Kind.STRONG and panel.strong is not None:
            ways.append(Way(name=kind.value, kind=kind, member=panel.strong.id))
        else:
            ways.append(Way(name=kind.value, kind=kind))
    return tuple(ways), tuple(left_out)


def _cannot(kind: Kind, subject: Subject, panel: Panel) -> str:
    if kind is Kind.STRONG and panel.strong is None:
        return "no strong member is configured"
    if kind is Kind.VOTING and len(panel.members) < 2:
        return "a vote takes two members"
    if kind is Kind.PANEL_NO_REVISION and subject is Subject.REVIEW:
        return "a review in the mode panel has no revision"
    return ""
