"""Probes: tests that a member wrote to settle a point, and what their outcome is worth.

A probe supports its author's verdict only if it passes on the code as it is, and fails once the function it
speaks of is hollowed out: a test that passes whatever the code does proves nothing.
"""

import ast
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.events import CheckFinished
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.grounding import has_symbol
from ensemble_lsp.ensemble.sitting import Sitting, unless_stopped

_Function = ast.FunctionDef | ast.AsyncFunctionDef

PROBES_AT_MOST = 8
"""Probes run per job: each is up to two test runs of a second or two."""
TOGETHER = 2
LOG_KEPT = 2_000
"""Characters of a probe's output that are kept as evidence."""


@dataclass(slots=True)
class Prober:
    """Runs the probes of one job, a bounded number, at most two at a time."""

    sitting: Sitting
    left: int = PROBES_AT_MOST
    _turn: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TOGETHER))

    async def prove(self, about: str, path: str, line: int, test: str) -> Evidence | None:
        """Run a probe about the code around `line` (0-based) of `path`.

        Returns its evidence when it passes and depends on that code; None when it proves nothing or was not
        run. `about` is the id of the point, for the event.
        """
        source = self.sitting.deliberation.dossier.files.get(path)
        if source is None or self.left <= 0 or not _speaks_of(test, path, source.text):
            return None
        self.left -= 1
        async with self._turn:
            ran = await unless_stopped(self.sitting.deliberation, self._run((), test))
            if ran is None:
                return None
            if ran.outcome is Outcome.PASSED and (hollow := hollowed(source.text, line, test)) is not None:
                change = FileChange(
                    path=path, before=source, after=SourceText(hollow, source.encoding, source.bom)
                )
                control = await unless_stopped(self.sitting.deliberation, self._run((change,), test))
                if control is None or control.outcome is Outcome.PASSED:
                    ran = ran.model_copy(
                        update={
                            "outcome": Outcome.NOT_RUN,
                            "summary": "the test passes whatever the code does: proves nothing",
                        }
                    )
        self.sitting.deliberation.emit(
            CheckFinished(
                witness="probe", target=ran.target, outcome=ran.outcome, summary=ran.summary, about=about
            )
        )
        return ran if ran.outcome is Outcome.PASSED else None

    async def _run(self, changes: tuple[FileChange, ...], test: str) -> Evidence | None:
        try:
            ran = await self.sitting.deliberation.checks.probe(changes, test)
        except CheckError as problem:
            self.sitting.note(f"a probe could not be run: {problem.message}")
            return None
        redact = self.sitting.quoting.redact
        return ran.model_copy(update={"log": redact(ran.log)[:LOG_KEPT], "summary": redact(ran.summary)})


def hollowed(text: str, line: int, test: str = "") -> str | None:
    """Return a Python text in which the innermost function around `line` (0-based) only raises.

    Where no function is around the line, those are hollowed that `test` names. None when there is nothing to
    hollow or the text is not Python. Signature, decorators and everything else stay.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    around = [node for node in functions if node.lineno <= line + 1 <= (node.end_lineno or node.lineno)]
    chosen = [max(around, key=lambda node: node.lineno)] if around else _named(functions, test)
    # A one-line function has no lines of its own that could be replaced.
    chosen = [node for node in chosen if node.body[0].lineno > node.lineno]
    if not chosen:
        return None
    # ast counts lines as Python does: only these ends of line count.
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for node in sorted(chosen, key=lambda node: -node.lineno):
        first = node.body[0]
        lines[first.lineno - 1 : node.end_lineno] = [
            f"{' ' * first.col_offset}raise RuntimeError('hollowed out')"
        ]
    return "\n".join(lines)


def _named(functions: Sequence[_Function], test: str) -> list[_Function]:
    """Return the functions that a test names, without those inside another of them."""
    named = [node for node in functions if has_symbol(test, node.name)]
    return [
        node
        for node in named
        if not any(
            other is not node and other.lineno <= node.lineno <= (other.end_lineno or other.lineno)
            for other in named
        )
    ]


def _speaks_of(test: str, path: str, text: str) -> bool:
    """Whether a test asserts something and names the module or something that the file defines."""
    if "assert" not in test and "raises" not in test:
        return False
    stem = path.rsplit("/", maxsplit=1)[-1].removesuffix(".py")
    if has_symbol(test, stem):
        return True
    try:
        defined = [
            node.name
            for node in ast.parse(text).body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
    except (SyntaxError, ValueError):
        return False
    return any(has_symbol(test, name) for name in defined)
