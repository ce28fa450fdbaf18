"""The action "locate": from a failing test or a traceback to ranked places; coverage is a witness beside the votes."""

import dataclasses
from collections.abc import Sequence

from ensemble_lsp.core.errors import CheckError, TrustRequired, UsageError
from ensemble_lsp.core.events import CheckFinished, Phase, PhaseEntered
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank
from ensemble_lsp.core.results import JobResult, PlaceHint
from ensemble_lsp.core.text import SourceText, split_lines
from ensemble_lsp.ensemble.blind import Forms, Said, Voice, ask_blind, voices_of
from ensemble_lsp.ensemble.brief_places import BRIEF_PLACES_AT_MOST, as_drafts, brief_places
from ensemble_lsp.ensemble.checking import is_test_path
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.finding import Drafts
from ensemble_lsp.ensemble.located import located
from ensemble_lsp.ensemble.ports import Coverage, Deliberation, Excerpt
from ensemble_lsp.ensemble.prompts.locating import locate_task
from ensemble_lsp.ensemble.sitting import Sitting, unless_stopped
from ensemble_lsp.ensemble.suspiciousness import Suspect, failing_tests_of, suspects_of
from ensemble_lsp.ensemble.traceback_frames import Frame, frames_in

PLACES_AT_MOST = 5
LOCATE_TOKENS = 2_000
BRIEF_LOCATE_TOKENS = 400
"""Output tokens; a small model writes some eleven a second."""

_SHOWN_SYMBOLS = 8
_SHOWN_CHARACTERS = 14_000
"""Code of suspected places that is put in front of the members beside what was gathered: some 4,000 tokens."""
_LONG_SYMBOL = 150


async def run(deliberation: Deliberation) -> JobResult:
    """Rank the places where the fault may be, as findings; raises `UsageError` when there is no file to start from."""
    focus = deliberation.dossier.focus
    if focus is None:
        raise UsageError("locating a fault needs a file to start from", field="path")
    task = deliberation.task
    sitting = Sitting.open(
        deliberation, bound_on_calls(task.action, task.mode, len(deliberation.panel.members), task.rounds)
    )
    deliberation.emit(
        PhaseEntered(phase=Phase.CHECK, note="the tests run, and which lines they run is recorded")
    )
    if task.places:
        sitting.note(f"the report points to {', '.join(_hint(item) for item in task.places)}")
    coverage = await _coverage(sitting)
    failing = _failing(sitting, coverage)
    suspects = suspects_of(coverage, failing, is_test_path) if coverage is not None and failing else []
    frames = frames_in(task.instruction, lambda path: _read(deliberation, path))
    frames = [frame for frame in frames if not is_test_path(frame.path)]
    if coverage is not None and not failing and not frames and not task.instruction.strip():
        sitting.note(f"nothing fails: {coverage.evidence.summary}")
    sitting = dataclasses.replace(sitting, deliberation=_with_code(sitting.deliberation, suspects, frames))
    sitting.deliberation.emit(PhaseEntered(phase=Phase.DRAFT))
    said = await _votes(sitting, coverage)
    sitting.deliberation.emit(PhaseEntered(phase=Phase.DECIDE))
    return located(sitting, said, suspects, frames, failing=sorted(failing), coverage=coverage)


async def _coverage(sitting: Sitting) -> Coverage | None:
    """Run the tests with their lines recorded; where nothing may be run, the reason is noted."""
    deliberation = sitting.deliberation
    try:
        coverage = await unless_stopped(deliberation, deliberation.checks.coverage())
        if coverage is None:
            report = await unless_stopped(deliberation, deliberation.checks.baseline())
            told = (
                [item for item in report.evidence if item.rank is Rank.EXECUTED] if report is not None else []
            )
            sitting.note(told[0].summary if told else "no test that has to do with this file was found")
    except (CheckError, TrustRequired) as problem:
        sitting.note(problem.message)
        return None
    if coverage is not None:
        if not coverage.lines:
            sitting.note("which test runs which line is not known: it takes pytest")
        item = coverage.evidence
        deliberation.emit(
            CheckFinished(
                witness=item.witness, target=item.target, outcome=item.outcome, summary=item.summary
            )
        )
    return coverage


def _hint(item: PlaceHint) -> str:
    return f"{item.path}{'' if item.line is None else f':{item.line + 1}'} ({item.why})"


def _failing(sitting: Sitting, coverage: Coverage | None) -> frozenset[str]:
    """Return the failing tests that are asked about: the one at the cursor, else all."""
    if coverage is None:
        return frozenset()
    task = sitting.deliberation.task
    every = failing_tests_of(coverage, lambda _: True)
    source = sitting.deliberation.dossier.files.get(task.path or "")
    if task.range is None or source is None or not is_test_path(task.path or ""):
        return every
    around = sitting.deliberation.checks.enclosing(task.path or "", source.text, task.range.start)
    if around is None:
        return every
    name = around[0]
    wanted = frozenset(
        test for test in every if name in {part.partition("[")[0] for part in test.split("::")[1:]}
    )
    if every and not wanted:
        sitting.note(f"{name} does not fail; other tests do")
    return wanted


def _with_code(
    deliberation: Deliberation, suspects: Sequence[Suspect], frames: Sequence[Frame]
) -> Deliberation:
    """Put the code around the suspected places in front of the members, in the order of the file system.

    Not in the order of suspicion, and without saying why: their votes are to be their own.
    """
    dossier = deliberation.dossier
    files = dict(dossier.files)
    wanted: dict[tuple[str, int, int], None] = {}
    places = [(frame.path, frame.line) for frame in frames] + [(item.path, item.line) for item in suspects]
    hints = [item for item in deliberation.task.places if not is_test_path(item.path)]
    places += [(item.path, item.line or 0) for item in hints]
    for path, line in places:
        source = files.get(path) or _read(deliberation, path)
        if len(wanted) >= _SHOWN_SYMBOLS or source is None:
            continue
        files[path] = source
        around = deliberation.checks.enclosing(path, source.text, line)
        first, last = (around[1], around[2]) if around is not None else (max(0, line - 10), line + 10)
        if last - first > _LONG_SYMBOL:
            first, last = max(first, line - 40), min(last, line + 40)
        if not _is_shown(deliberation, path, first, last):
            wanted[path, first, last] = None
    shown: list[Excerpt] = []
    left = _SHOWN_CHARACTERS
    for path, first, last in sorted(wanted):
        lines = split_lines(dossier.redact(path, files[path].text))
        text = "".join(lines[first : last + 1])
        if len(text) <= left:
            left -= len(text)
            shown.append(Excerpt(path=path, start_line=first, text=text, why="code that runs"))
    return dataclasses.replace(
        deliberation,
        dossier=dataclasses.replace(dossier, files=files, related=(*dossier.related, *shown)),
    )


def _is_shown(deliberation: Deliberation, path: str, first: int, last: int) -> bool:
    dossier = deliberation.dossier
    excerpts = (*((dossier.focus,) if dossier.focus is not None else ()), *dossier.related)
    return any(
        item.path == path
        and item.start_line <= first
        and last <= item.start_line + len(split_lines(item.text)) - 1
        for item in excerpts
    )


def _read(deliberation: Deliberation, path: str) -> SourceText | None:
    return deliberation.dossier.files.get(path) or deliberation.dossier.read(path)


async def _votes(sitting: Sitting, coverage: Coverage | None) -> list[Said[Drafts]]:
    deliberation = sitting.deliberation
    task = deliberation.task
    traceback = (
        task.instruction if frames_in(task.instruction, lambda path: _read(deliberation, path)) else ""
    )
    spoken = task.model_copy(update={"instruction": ""}) if traceback else task
    failing: list[Evidence] = []
    if coverage is not None and coverage.evidence.outcome is not Outcome.PASSED:
        failing = [coverage.evidence.model_copy(update={"rank": Rank.EXECUTED})]

    def ask(voice: Voice) -> str:
        return locate_task(
            spoken,
            deliberation.dossier,
            sitting.quoting,
            voice.style,
            failing=failing,
            traceback=traceback,
            at_most=BRIEF_PLACES_AT_MOST if voice.member.local else PLACES_AT_MOST,
            brief=voice.member.local,
        )

    focus = deliberation.dossier.focus
    shown = [*((focus,) if focus is not None else ()), *deliberation.dossier.related]
    code = [excerpt for excerpt in shown if not is_test_path(excerpt.path)]
    forms = Forms(Drafts, brief_places(code), LOCATE_TOKENS, BRIEF_LOCATE_TOKENS, as_drafts)
    return await ask_blind(sitting, voices_of(deliberation.panel, task.mode), forms, ask, purpose="draft")
