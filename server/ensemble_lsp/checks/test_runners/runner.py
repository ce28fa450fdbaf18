"""What the runners of all frameworks have in common."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Ran, Site, bounded
from ensemble_lsp.checks.witness import Project
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank
from ensemble_lsp.ensemble.framework import Unit


@dataclass(frozen=True, slots=True)
class Setting:
    """What a runner works with: the test file `path`, and the file of code that it is about."""

    project: Project
    interpreter: Interpreter
    path: str
    code: str


class TestRunner(Protocol):
    """Runs one test file in a site."""

    __test__ = False

    def refused(self, said: Evidence) -> bool:
        """Whether a compiler did not let the code run: then it is no changed version that a test could notice."""
        ...

    async def run(self, site: Site, units: Sequence[Unit], limits: Limits) -> Evidence:
        """Run at least the `units` of the file, all of it without any; each test by its id.

        `Outcome.ERROR`: the file or the code does not load, or the framework is not there.
        """
        ...


@dataclass(frozen=True, slots=True)
class Told:
    """What a run amounts to; `log` is what a person or a member reads of it."""

    outcome: Outcome
    summary: str
    tests: Mapping[str, Outcome]
    log: str


def told(setting: Setting, said: Told, ran: Ran, site: Site) -> Evidence:
    """Return it as evidence."""
    return Evidence(
        witness="probe",
        rank=Rank.EXECUTED,
        target=setting.path,
        outcome=said.outcome,
        summary=said.summary,
        log=bounded(said.log),
        seconds=ran.completed.seconds,
        tests=dict(said.tests),
        sandbox=site.label,
    )


def not_possible(setting: Setting, reason: str) -> Evidence:
    """Return evidence that counts for nothing and says why."""
    return Evidence(
        witness="probe",
        rank=Rank.EXECUTED,
        target=setting.path,
        outcome=Outcome.NOT_RUN,
        summary=reason,
    )


_WORDS = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.TIMED_OUT: "timed out"}


def counted(tests: Mapping[str, Outcome]) -> str:
    """Return "3 passed, 1 failed"."""
    counts = Counter(tests.values())
    return ", ".join(f"{counts[outcome]} {word}" for outcome, word in _WORDS.items() if counts[outcome])
