"""Static tools as witnesses: which of their messages back a member's finding, and which stand alone."""

from collections import Counter
from collections.abc import Iterable, Sequence

from ensemble_lsp.core.evidence import CheckReport, Diagnostic, Evidence, Outcome, Rank, Severity
from ensemble_lsp.ensemble.merging import UNSURE, Statement, overlap
from ensemble_lsp.ensemble.similarity import cosine, vectors_of
from ensemble_lsp.ensemble.weaknesses import cwe_of, kind_of_weakness

ALONE_AT_MOST = 20
"""Findings of tools alone in one file; the rest is left to the tools' own output."""
ALONE_PER_CODE = 3
"""The same message more often than this is a habit of the code base, not a finding."""

_RUFF_DEFECTS = ("E9", "F", "B", "S", "PLE", "ASYNC", "BLE")
"""Prefixes of ruff's rules that speak of behaviour; the others are style."""
_NOISE = frozenset({"F401", "F541", "F841", "S101", "B101", "B905", "S603", "S607", "B404", "B603", "B607"})
"""Unused names, asserts, and warnings at every subprocess call: true, and not what a review is for."""
_SECURITY_SOURCES = frozenset({"bandit", "secrets", "semgrep"})
_OPTIONAL_SOURCES = frozenset({"semgrep"})
"""Tools that are not part of this package."""


def meaningful(diagnostic: Diagnostic) -> bool:
    """Whether a tool's message is worth a finding of its own."""
    if diagnostic.severity not in {Severity.CRITICAL, Severity.WARNING} or diagnostic.code in _NOISE:
        return False
    if diagnostic.source.lower() == "ruff":
        return diagnostic.code.startswith(_RUFF_DEFECTS) or not diagnostic.code
    return True


def diagnostics_in(report: CheckReport | None, path: str) -> list[Diagnostic]:
    """Return what the tools said of one file, each message once, in the order of lines."""
    if report is None:
        return []
    unique = {
        (item.line, item.source, item.code, item.message): item
        for item in report.diagnostics
        if item.path == path
    }
    return [unique[key] for key in sorted(unique)]


def as_evidence(diagnostic: Diagnostic) -> Evidence:
    """Return one message as evidence about the line it speaks of."""
    code = f"{diagnostic.code}: " if diagnostic.code else ""
    return Evidence(
        witness=diagnostic.source,
        rank=Rank.STATIC,
        target=f"{diagnostic.path}:{diagnostic.line + 1}",
        outcome=Outcome.FAILED,
        summary=f"{code}{diagnostic.message}",
        diagnostics=(diagnostic,),
    )


def backing(statement: Statement, category: str, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the messages that say what the statement says, on its lines (give or take one).

    An unused import does not back an injection next to it: the texts must be alike too, or both must speak
    of security on the very same line.
    """
    near = [item for item in diagnostics if overlap(statement, _place(item), 1)]
    vectors = vectors_of([statement.text, *(f"{item.code} {item.message}" for item in near)])
    return [
        item
        for item, vector in zip(near, vectors[1:], strict=True)
        if cosine(vectors[0], vector) >= UNSURE
        or (
            (category == "security" or cwe_of(category))
            and item.source.lower() in _SECURITY_SOURCES
            and overlap(statement, _place(item), 0)
        )
    ]


def standing_alone(diagnostics: Iterable[Diagnostic], used: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the messages that become findings of their own: meaningful, not yet used, few of a kind."""
    taken = set(used)
    worst_first = sorted(
        (item for item in diagnostics if meaningful(item) and item not in taken),
        key=lambda item: (item.severity is not Severity.CRITICAL, item.line),
    )
    seen: Counter[tuple[str, str]] = Counter()
    alone: list[Diagnostic] = []
    for item in worst_first:
        seen[item.source, item.code] += 1
        if seen[item.source, item.code] <= ALONE_PER_CODE and len(alone) < ALONE_AT_MOST:
            alone.append(item)
    return alone


def same_weakness(
    diagnostics: Iterable[Diagnostic], seconds: Iterable[Diagnostic] = ()
) -> list[tuple[Diagnostic, ...]]:
    """Group messages of several tools that name the same weakness on the same lines; the others stay alone.

    `seconds` are too slight to be findings, and still say the same as one.
    The first of a group stands for it: of a tool that is always there before one that a machine may lack, so
    that a finding is known again on both.
    """
    groups: list[list[Diagnostic]] = []
    worth_it = tuple(diagnostics)
    for item in (*worth_it, *(each for each in seconds if each not in worth_it and each.code not in _NOISE)):
        weakness = kind_of_weakness(cwe_of(item.message))
        group = next(
            (
                group
                for group in groups
                if weakness
                and weakness == kind_of_weakness(cwe_of(group[0].message))
                and all(other.path == item.path and other.source != item.source for other in group)
                and overlap(_place(group[0]), _place(item), 0)
            ),
            None,
        )
        if group is not None:
            group.append(item)
        elif item in worth_it:
            groups.append([item])
    return [
        tuple(sorted(group, key=lambda item: (item not in worth_it, item.source in _OPTIONAL_SOURCES)))
        for group in groups
    ]


def _place(item: Diagnostic) -> Statement:
    return Statement(id="", text="", path=item.path, line=item.line, end_line=item.end_line)
