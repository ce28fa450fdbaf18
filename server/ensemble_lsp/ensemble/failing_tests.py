"""What failing tests say of a file under review: the lines that they point to, found by running and not by a model."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ensemble_lsp.core.errors import CheckError, TrustRequired
from ensemble_lsp.core.events import CheckFinished
from ensemble_lsp.core.evidence import SEARCH, CheckReport, Evidence, Outcome
from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.checking import is_test_path
from ensemble_lsp.ensemble.grounding import Place
from ensemble_lsp.ensemble.issues import touches
from ensemble_lsp.ensemble.merging import NEAR_LINES
from ensemble_lsp.ensemble.ports import Coverage, RepairsFound
from ensemble_lsp.ensemble.sitting import Sitting, unless_stopped
from ensemble_lsp.ensemble.suspiciousness import Suspect, failing_tests_of, suspects_of

V = TypeVar("V")

PLACES_AT_MOST = 3
"""Of one file; which tests fail is in the notes of the job all the same."""


@dataclass(frozen=True, slots=True)
class FailingPlace:
    """Lines that failing tests point to. Lines are 0-based, `end_line` inclusive."""

    line: int
    end_line: int
    failing: tuple[str, ...]
    """Ids of the failing tests that run them, or that the small change mended."""
    run: Evidence
    """The run in which they failed."""
    suspect: Suspect | None
    """How often the likeliest of these lines is run; None where the small change is on other lines."""
    repair: str = ""
    """The small change with which all failing tests passed, in words; "" where none was found."""
    tried: int = 0
    """Small changes that were tried."""


async def failing_places(
    sitting: Sitting,
    report: CheckReport | None,
    path: str,
    *,
    agreement: Callable[[Sequence[FailingPlace]], Awaitable[bool]] | None = None,
) -> tuple[FailingPlace, ...]:
    """Return the places in `path` that failing tests point to, the surest first; no call is made.

    Nothing where no test fails or one hangs, where lines cannot be recorded (it takes pytest), where a line that is
    not under review is more suspicious than all that are, and where the job was stopped first. `agreement` waits for
    the members, and tells whether they have named the lines that the tests point to: the search for a change, which
    takes its time beside theirs, is then given up.
    """
    deliberation = sitting.deliberation
    executed = report.executed if report is not None else ()
    failed = [item for item in executed if item.outcome is Outcome.FAILED and item.tests]
    # A test that hangs leaves no lines behind, and would be waited for again with every change.
    hung = any(Outcome.TIMED_OUT in {item.outcome, *item.tests.values()} for item in executed)
    if not failed or hung or SEARCH in deliberation.leaves_out or is_test_path(path):
        return ()
    try:
        coverage = await unless_stopped(deliberation, deliberation.checks.coverage())
        if coverage is None:
            return ()
        failing = failing_tests_of(coverage, lambda _: True)
        suspects = _suspects(sitting, path, coverage, failing)
        places = tuple(_by_lines(sitting, path, coverage, failed[0], suspects))
        if not suspects:
            return ()

        async def search() -> RepairsFound | None:
            return await _searched(sitting, path, suspects, failing)

        found = await (search() if agreement is None else _unless(agreement(places), search))
    except (CheckError, TrustRequired) as problem:
        sitting.note(f"where the failing tests point to is not known: {problem.message}")
        return ()
    if found is not None and found.repairs:
        return (_mended(found, failing, failed[0], suspects),)
    return places


def _suspects(sitting: Sitting, path: str, coverage: Coverage, failing: frozenset[str]) -> list[Suspect]:
    """Return the lines under review that the failing tests run, the most suspicious first.

    None of them unless the first is as suspicious as any line of the project: what passing tests run as well, while
    another line is run by the failing ones alone, is not to blame.
    """
    everywhere = suspects_of(coverage, failing, is_test_path)
    task = sitting.deliberation.task
    ranges = task.changed_lines.get(path, ()) if task.changed_lines else None

    def is_under_review(line: int) -> bool:
        place = Place(line, line, "")
        inside = task.range is None or touches(place, (task.range,), NEAR_LINES)
        return inside and (ranges is None or touches(place, ranges))

    here = [item for item in everywhere if item.path == path and is_under_review(item.line)]
    return here if here and here[0].score >= everywhere[0].score else []


async def _unless(agreement: Awaitable[bool], search: Callable[[], Coroutine[object, object, V]]) -> V | None:
    """Return what `search` returns, or None when `agreement` comes true first: it is not begun, or cancelled."""
    running: list[asyncio.Future[Any]] = []
    try:
        agreeing = asyncio.ensure_future(agreement)
        running.append(agreeing)
        await asyncio.wait({agreeing}, timeout=0)
        if agreeing.done() and agreeing.result():
            return None
        searching = asyncio.ensure_future(search())
        running.append(searching)
        await asyncio.wait({agreeing, searching}, return_when=asyncio.FIRST_COMPLETED)
        if agreeing.done() and agreeing.result():
            return None
        return await searching
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _searched(
    sitting: Sitting, path: str, suspects: Sequence[Suspect], failing: frozenset[str]
) -> RepairsFound | None:
    deliberation = sitting.deliberation
    suspicion = {item.line: item.score for item in suspects}
    found = await unless_stopped(deliberation, deliberation.checks.repairs(path, suspicion, failing))
    if found is not None and found.tried:
        passing = f"one passes: {found.repairs[0].what}" if found.repairs else "none passes"
        deliberation.emit(
            CheckFinished(
                witness=SEARCH,
                target=path,
                outcome=Outcome.PASSED if found.repairs else Outcome.FAILED,
                summary=sitting.quoting.redact(f"{found.tried} small changes tried, {passing}"),
            )
        )
    return found


def _mended(
    found: RepairsFound, failing: frozenset[str], run: Evidence, suspects: Sequence[Suspect]
) -> FailingPlace:
    # The smallest stands first: the more a change writes, the likelier it passes by chance.
    repair = found.repairs[0]
    before, after = repair.change.before, repair.change.after
    old = split_lines(before.text) if before is not None else []
    changes = line_changes(old, split_lines(after.text) if after is not None else [])
    last = max(0, len(old) - 1)
    first = min((item.old_start for item in changes), default=0)
    end = max((item.old_end - 1 for item in changes), default=0)
    line = min(first, last)
    here = next((item for item in suspects if item.line == line), None)
    return FailingPlace(
        line, max(line, min(end, last)), tuple(sorted(failing)), run, here, repair.what, found.tried
    )


def _by_lines(
    sitting: Sitting, path: str, coverage: Coverage, run: Evidence, suspects: Sequence[Suspect]
) -> list[FailingPlace]:
    """Return the most suspicious lines, then those of the failing tests that do not run these, and so on.

    `suspects`: those of all failing tests.
    """
    places: list[FailingPlace] = []
    left = failing_tests_of(coverage, lambda _: True)
    while suspects and len(places) < PLACES_AT_MOST:
        first = suspects[0]
        there = _running(coverage, left, path, first.line)
        around = sitting.enclosing(path, first.line)
        # Lines that run together cannot be told apart: they are one place, as far as one function goes.
        alike = [
            item.line
            for item in suspects
            if item.score == first.score
            and _running(coverage, left, path, item.line) == there
            and (around is None or around[1] <= item.line <= around[2])
        ]
        places.append(FailingPlace(min(alike), max(alike), tuple(sorted(there)), run, first))
        left -= there
        suspects = _suspects(sitting, path, coverage, left) if left else ()
    return places


def _running(coverage: Coverage, tests: frozenset[str], path: str, line: int) -> frozenset[str]:
    return frozenset(test for test in tests if line in coverage.lines.get(test, {}).get(path, ()))
