"""Candidates that mean the same, seen as one: by their code, then by what they did under tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.proposals import Candidate
from ensemble_lsp.ensemble.checking import Assessment

_TELLING = frozenset({Outcome.PASSED, Outcome.FAILED, Outcome.TIMED_OUT})


@dataclass(frozen=True, slots=True)
class Contender:
    """One candidate with all that is known of it when it is decided about."""

    candidate: Candidate
    assessment: Assessment
    supporters: int = 1
    """How many voices stand behind it; two samples of one member are two voices of one family."""
    contested: int = 0
    """Separating tests that it failed and whose expectation only their author supports."""
    votes: int = 0
    """Critics of other families that prefer it, where the action asks for that."""
    probes: Mapping[str, Outcome] = field(default_factory=dict[str, Outcome])
    """Separating test → how it ended with this candidate in place."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Contenders that cannot be told apart; the first is the one that would be proposed."""

    contenders: tuple[Contender, ...]

    @property
    def representative(self) -> Contender:
        """The contender with the smallest change."""
        return self.contenders[0]

    @property
    def families(self) -> tuple[str, ...]:
        """The distinct families behind it, sorted."""
        return tuple(sorted({name for item in self.contenders for name in item.candidate.families}))

    @property
    def supporters(self) -> int:
        """The voices behind it."""
        return sum(item.supporters for item in self.contenders)

    @property
    def contested(self) -> int:
        """Contested tests that it fails."""
        return max(item.contested for item in self.contenders)

    @property
    def votes(self) -> int:
        """The votes for any of them."""
        return sum(item.votes for item in self.contenders)


def cluster(contenders: Sequence[Contender], separating: Sequence[str]) -> tuple[Cluster, ...]:
    """Return the clusters, the most supported first, then the smallest change.

    Candidates of one normal form have already been made one. Others fall together when at least one test
    told some candidates apart and these two ended alike in every one of them.
    """
    groups: dict[tuple[object, ...], list[Contender]] = {}
    for item in contenders:
        outcomes = tuple(item.probes.get(name) for name in separating)
        known = outcomes and all(outcome in _TELLING for outcome in outcomes)
        key = (outcomes, item.assessment.target) if known else (item.candidate.id,)
        groups.setdefault(key, []).append(item)
    made = [
        Cluster(tuple(sorted(group, key=lambda item: (item.candidate.changed_lines, item.candidate.id))))
        for group in groups.values()
    ]
    return tuple(sorted(made, key=preference))


def preference(item: Cluster) -> tuple[int, int, int, int, str]:
    """Order clusters: more families behind it or voting for it, then fewer contested tests failed, more voices,
    the smallest change."""
    first = item.representative.candidate
    behind = len(item.families) + item.votes
    return (-behind, item.contested, -item.supporters, first.changed_lines, first.id)
