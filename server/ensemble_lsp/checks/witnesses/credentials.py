"""Hard-coded credentials: also those that a change only moved, under a name that says nothing of them."""

import asyncio
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import accumulate, islice
from pathlib import Path

from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.witness import Project, Targets, not_run, of_diagnostics
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Rank
from ensemble_lsp.core.text import SourceText, split_lines
from ensemble_lsp.ensemble.credentials import SOURCE, Credential, SecretScan, as_diagnostic

_MAX_READ_BYTES = 2 << 20
_LONG = 8
"""Characters from which a value is the same thing inside of words as well."""
_MOST_FOLLOWED = 200
"""Values that are looked for again: a generated file of tokens must not make this quadratic."""

_Place = tuple[str, int]
"""Path and 0-based line."""


class CredentialsWitness:
    """Reads the targets in this process; no value is in what it says."""

    name = SOURCE
    executes = False
    rank = Rank.STATIC

    def __init__(self, project: Project, scan: SecretScan) -> None:
        self._project = project
        self._scan = scan

    def applies(self, project: Project, targets: Targets) -> bool:  # noqa: ARG002
        """Whether there is a file."""
        return bool(targets.paths)

    def target(self, targets: Targets) -> str:
        """Return the paths."""
        return " ".join(targets.paths)

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:  # noqa: ARG002
        """Look at what the shadow holds: what looks like a credential, and what was one before the change."""
        if not any(site.has(path) for path in targets.paths):
            return not_run(self, targets, "no such file")
        verdict = of_diagnostics(await asyncio.to_thread(self._look, site.root, targets.paths))
        return Evidence(
            witness=self.name,
            rank=self.rank,
            target=self.target(targets),
            outcome=verdict.outcome,
            summary=verdict.summary,
            diagnostics=verdict.diagnostics,
        )

    def _look(self, root: Path, paths: tuple[str, ...]) -> list[Diagnostic]:
        before = {path: self._project.read(path) for path in paths}
        now = {path: _read(root / path) for path in paths}
        found: dict[Diagnostic, None] = {}
        reported: dict[str, set[_Place]] = {}
        for path, item in self._credentials(now):
            found[as_diagnostic(path, item.line, item.kind)] = None
            reported.setdefault(item.value, set()).add((path, item.line))
        known = {item.value: item.kind for _, item in self._credentials(before)}
        stood = Counter(item.value for _, item in self._credentials(before))
        for value, kind in islice(known.items(), _MOST_FOLLOWED):
            # Where the same text stood without being a credential (a role of that name) it may stay.
            may_stay = sum(1 for _ in _places(value, before)) - stood[value]
            elsewhere = [place for place in _places(value, now) if place not in reported.get(value, ())]
            for path, line in elsewhere[: max(0, len(elsewhere) - may_stay)]:
                found[as_diagnostic(path, line, kind)] = None
        return sorted(found, key=lambda item: (item.path, item.line, item.code))

    def _credentials(self, texts: Mapping[str, str]) -> Iterator[tuple[str, Credential]]:
        for path, text in texts.items():
            for item in self._scan.credentials(path, text):
                yield path, item


def _places(value: str, texts: Mapping[str, str]) -> Iterator[_Place]:
    """Yield where a value stands: anywhere, or a short one only where it is a word of its own."""
    words = len(value) < _LONG or value.isalpha()
    expression = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)" if words else re.escape(value))
    for path, text in texts.items():
        if value not in text:
            continue
        starts = [0, *accumulate(map(len, split_lines(text)))]
        for match in expression.finditer(text):
            yield path, bisect_right(starts, match.start()) - 1


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_READ_BYTES:
            return ""
        return SourceText.from_bytes(path.read_bytes()).text
    except OSError:
        return ""
