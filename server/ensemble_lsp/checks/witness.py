"""What all witnesses have in common: what they are asked, where they look, and how they answer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ensemble_lsp.checks.languages import language_of
from ensemble_lsp.checks.sandbox import Completed, Limits
from ensemble_lsp.checks.site import Ran, Site, bounded
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Outcome, Rank
from ensemble_lsp.core.text import SourceText


@dataclass(frozen=True, slots=True)
class Project:
    """What a witness may know before it runs. `source` returns a file, unsaved buffers included."""

    workspace: Path
    files: frozenset[str]
    dependencies: frozenset[str]
    """Ignored folders of installed dependencies ("node_modules")."""
    source: Callable[[str], SourceText]
    trusted: bool

    def read(self, path: str) -> str:
        """Return a file's text, empty for one that cannot be read."""
        return self.source(path).text

    def settings_text(self, *names: str) -> str:
        """Return the text of the first of these files that exists at the root, or the empty string."""
        return next((self.read(name) for name in names if name in self.files), "")


@dataclass(frozen=True, slots=True)
class Targets:
    """What a witness is asked about. Paths are relative to the workspace."""

    paths: tuple[str, ...]
    tests: tuple[str, ...] = ()
    """Test files or ids for a test runner, chosen once so that runs can be compared."""
    stop_at_first: bool = False
    """One failure is enough: for mutants."""

    def of(self, *languages: str) -> tuple[str, ...]:
        """Return the paths in one of these languages."""
        return tuple(path for path in self.paths if language_of(path) in languages)


class Witness(Protocol):
    """A deterministic tool that says something about the code."""

    @property
    def name(self) -> str:
        """ "ruff", "pytest", …"""
        ...

    @property
    def executes(self) -> bool:
        """Whether it runs the project's code or obeys its configuration, so that it needs trust."""
        ...

    @property
    def rank(self) -> Rank:
        """How much what it says weighs."""
        ...

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether it has anything to say here; reads little."""
        ...

    def target(self, targets: Targets) -> str:
        """Return what its evidence is about: the same for all versions that are to be compared."""
        ...

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Look at the version that the site holds. Cancelling ends what it started."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run amounts to, before it is put into words as `Evidence`."""

    outcome: Outcome
    summary: str
    tests: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    diagnostics: tuple[Diagnostic, ...] = ()


def not_run(witness: Witness, targets: Targets, reason: str) -> Evidence:
    """Return evidence that counts for nothing and says why."""
    return Evidence(
        witness=witness.name,
        rank=witness.rank,
        target=witness.target(targets),
        outcome=Outcome.NOT_RUN,
        summary=reason,
    )


def evidence(witness: Witness, targets: Targets, verdict: Verdict, ran: Ran, label: str) -> Evidence:
    """Return what a run in the sandbox amounts to."""
    return Evidence(
        witness=witness.name,
        rank=witness.rank,
        target=witness.target(targets),
        outcome=verdict.outcome,
        summary=verdict.summary,
        log=bounded(ran.output),
        seconds=ran.completed.seconds,
        tests=verdict.tests,
        diagnostics=verdict.diagnostics,
        sandbox=label,
    )


def without_report(told: Evidence) -> Evidence:
    """Leave out the log of a tool whose report was read: it quotes the code, escaped, with all that is secret in it."""
    read = told.outcome in {Outcome.PASSED, Outcome.FAILED} or bool(told.diagnostics)
    return told.model_copy(update={"log": ""}) if read else told


_ENDINGS = {
    "output": "stopped: it printed without end",
    "processes": "stopped: it started too many processes",
    "memory": "stopped: it used too much memory",
}


def cut_short(completed: Completed) -> Verdict | None:
    """Return what a run amounts to that did not come to its own end, or None for one that did."""
    if completed.failed:
        return Verdict(Outcome.ERROR, completed.failed)
    if completed.ended == "time":
        return Verdict(Outcome.TIMED_OUT, f"no end after {completed.seconds:.0f} s")
    if completed.ended:
        return Verdict(Outcome.FAILED, _ENDINGS[completed.ended])
    return None


def of_diagnostics(diagnostics: Sequence[Diagnostic]) -> Verdict:
    """Return the verdict of a static tool that ran: failed when it has anything to say."""
    if not diagnostics:
        return Verdict(Outcome.PASSED, "nothing to report")
    first = diagnostics[0]
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    summary = f"{first.path}:{first.line + 1}: {first.code} {first.message}{more}"
    return Verdict(Outcome.FAILED, summary[:300], diagnostics=tuple(diagnostics))
