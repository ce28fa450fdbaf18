"""Locating: where the buggy lines stand in the lists of the panel, of each member alone, and of coverage alone."""

import io
import json
import math
import random
import re
import tokenize
from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from benchmarks.actions_eval_asserts import one_test_each
from benchmarks.actions_eval_record import PANEL, Entry, alone
from benchmarks.actions_eval_seats import Heard, Listening, unless_in_vain
from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.examination import Attempt, Examination
from ensemble_lsp.bench.ways.catalogue import Kind, Way
from ensemble_lsp.bench.workspace import laid_out
from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import FindingDraft
from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.ensemble.actions import locate
from ensemble_lsp.ensemble.checking import is_test_path
from ensemble_lsp.ensemble.code_lines import code_lines
from ensemble_lsp.ensemble.located import place_somewhere
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.suspiciousness import Suspect, failing_tests_of, suspects_of

OCHIAI = "Ochiai alone"
_FURTHER = re.compile(r"^Other lines there .*?: (.+)\.$", re.MULTILINE)
_NUMBER = re.compile(r"(\d+) \(")
KEPT = 20
"""Lines of a list that are written down."""


class Located(Entry):
    """One ranked list of lines."""

    lines: tuple[int, ...] = ()
    """Of the program, 0-based, the most likely first, each once."""
    bug: tuple[int, ...] = ()
    """The buggy lines."""
    chance: tuple[float, float] | None = None
    """Coverage alone: how likely a buggy line is the first, or among the first five, if lines with the same score
    stand in an order drawn by lot. `lines` is one such draw."""
    tied: int = 0
    """Coverage alone: how many lines share the highest score."""

    def within(self, most: int) -> bool:
        """Whether a buggy line is among the first so many."""
        return not set(self.lines[:most]).isdisjoint(self.bug)


def buggy_lines(program: str, original: str) -> frozenset[int]:
    """Return the lines (0-based) of `program` at which a reader would have to point; comments and blanks do not count.

    Lines of the program that the right one has otherwise or not at all. Where the right one only has further lines,
    the nearest line of code on each side of the gap.
    """
    mine = _code_lines(program)
    found: set[int] = set()
    for change in line_changes([text for _, text in _code_lines(original)], [text for _, text in mine]):
        around = range(max(0, change.new_start - 1), min(len(mine), change.new_start + 1))
        lines = range(change.new_start, change.new_end) or around
        found.update(mine[line][0] for line in lines)
    return frozenset(found)


def _code_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that hold code, with their numbers; comments and spacing are left out of them."""
    found: dict[int, list[str]] = {}
    code = code_lines(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0] - 1
        if line in code and token.string.strip() and token.type != tokenize.COMMENT:
            indentation = token.line[: len(token.line) - len(token.line.lstrip())]
            found.setdefault(line, [indentation]).append(token.string)
    return [(line, " ".join(words)) for line, words in sorted(found.items())]


async def with_tests_apart(examination: Examination, case: BenchCase) -> BenchCase:
    """Return the case with one test an assertion; as it is where the right program would not pass these."""
    apart = one_test_each(case.judged_by)
    if apart == case.judged_by:
        return case
    taken = case.model_copy(update={"files": {**apart, case.path: case.files[case.path]}, "judged_by": apart})
    try:
        return taken if await examination.judge.passes(taken, case.original) else case
    except CheckError:
        return case


async def located_by_coverage(examination: Examination, case: BenchCase) -> list[Located]:
    """Run one case without asking anybody."""
    way = Way(name=OCHIAI, kind=Kind.PANEL)
    task = Task(action=Action.LOCATE, path=case.path)
    with laid_out(case) as place:
        async with examination.attempt(case, place, way, task=task) as attempt:
            return [await _by_coverage(attempt, _bug_of(case))]


def _bug_of(case: BenchCase) -> tuple[int, ...]:
    return tuple(sorted(buggy_lines(case.files[case.path], case.original)))


async def located(examination: Examination, case: BenchCase) -> list[Located]:
    """Run one case: the panel with its witness, each member's first answer, and coverage without anybody.

    Raises `EnsembleError` where a member could not be reached, so that there is nothing to compare.
    """
    way = Way(name=PANEL, kind=Kind.PANEL)
    task = Task(action=Action.LOCATE, path=case.path)
    bug = _bug_of(case)
    with laid_out(case) as place:
        async with examination.attempt(case, place, way, task=task) as attempt:
            listening = Listening(attempt.deliberation.models)
            attempt.deliberation.models = listening
            result = await locate.run(attempt.deliberation)
            seconds = attempt.models.watch.seconds()
            unless_in_vain(examination, attempt)
            spent = attempt.budget.spent
            panel = Located(
                case=case.id,
                way=PANEL,
                lines=lines_told(result, case.path),
                bug=bug,
                calls=spent.calls,
                tokens=spent.tokens_in + spent.tokens_out,
                seconds=round(seconds, 1),
                note=result.reason[:200],
            )
            members = [
                _alone(attempt, member.id, listening.first_of(member.id), bug)
                for member in examination.panel.members
            ]
            return [panel, *members, await _by_coverage(attempt, bug)]


def lines_told(result: JobResult, path: str) -> tuple[int, ...]:
    """Return the lines of `path` as the panel tells them: its places, then the others that its document lists."""
    further = _FURTHER.search(result.document)
    listed = [int(number) - 1 for number in _NUMBER.findall(further[1])] if further else []
    return _once([*(item.line for item in result.findings if item.path == path), *listed])


def _alone(
    attempt: Attempt,
    member: str,
    heard: Sequence[Heard],
    bug: tuple[int, ...],
) -> Located:
    case = attempt.case
    dossier = attempt.deliberation.dossier
    said = said_lines(heard[-1].reply.text, dossier, case.path) if heard else None
    return Located(
        case=case.id,
        way=alone(member),
        lines=said or (),
        bug=bug,
        calls=len(heard),
        tokens=sum(item.reply.spend.tokens_in + item.reply.spend.tokens_out for item in heard),
        seconds=round(sum(item.reply.seconds for item in heard), 1),
        note="no answer of the form asked for" if said is None else "",
    )


def said_lines(reply: str, dossier: Dossier, path: str) -> tuple[int, ...] | None:
    """Return the lines of `path` that an answer names, in its order: by the quote, else by the number that it says.

    The panel drops a quote that is nowhere, and a line that would stay as it is; who reads one answer alone looks where
    it points. None: it is of no form.
    """
    try:
        answer = _Answer.model_validate(json.loads(reply))
    except ValueError:
        return None
    found: list[int] = []
    for place in answer.findings:
        number = place.quote.partition("|")[0].strip()
        line = int(number) if number.isdecimal() else place.line
        draft = _DRAFT.model_copy(
            update={"path": place.path, "quote": place.quote, "line": line, "end_line": line}
        )
        placed = place_somewhere(draft, dossier, path)
        if isinstance(placed, str):
            found.append(line - 1)
        elif placed[0] == path:
            found.append(placed[1].line)
    return _once(found)


class _Place(BaseModel):
    path: str = ""
    quote: str = ""
    line: int = 1


class _Answer(BaseModel):
    findings: list[_Place]


_DRAFT = FindingDraft(
    path="",
    line=1,
    end_line=1,
    quote="",
    severity=Severity.WARNING,
    category="",
    title="",
    detail="",
    confidence=0,
)


async def _by_coverage(attempt: Attempt, bug: tuple[int, ...]) -> Located:
    case, deliberation = attempt.case, attempt.deliberation
    try:
        coverage = await deliberation.checks.coverage()
    except CheckError as problem:
        return Located(case=case.id, way=OCHIAI, bug=bug, chance=(0.0, 0.0), note=problem.message)
    failing = failing_tests_of(coverage, lambda _: True) if coverage is not None else frozenset[str]()
    suspects = suspects_of(coverage, failing, is_test_path) if coverage is not None and failing else []
    mine = [item for item in suspects if item.path == case.path]
    drawn = random.Random(case.id).sample(mine, len(mine))  # noqa: S311  (a drawing of lots)
    ordered = sorted(drawn, key=lambda item: -item.score)
    passing = len(coverage.outcomes) - len(failing) if coverage is not None else 0
    return Located(
        case=case.id,
        way=OCHIAI,
        lines=_once(item.line for item in ordered),
        bug=bug,
        chance=(chance_within(ordered, bug, 1), chance_within(ordered, bug, 5)),
        tied=sum(item.score == ordered[0].score for item in ordered),
        note=f"{len(failing)} tests fail, {passing} do not",
    )


def chance_within(ordered: Sequence[Suspect], bug: Iterable[int], most: int) -> float:
    """Return how likely a buggy line is among the first `most` if equal scores stand in an order drawn by lot."""
    if not ordered:
        return 0.0
    buggy = set(bug)
    edge = ordered[min(most, len(ordered)) - 1].score
    if any(item.score > edge and item.line in buggy for item in ordered):
        return 1.0
    tied = [item for item in ordered if item.score == edge]
    drawn = min(most, len(ordered)) - sum(item.score > edge for item in ordered)
    right = sum(item.line in buggy for item in tied)
    return 1.0 - math.comb(len(tied) - right, drawn) / math.comb(len(tied), drawn)


def _once(lines: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(lines))[:KEPT]


def ways_of_locating(members: Sequence[str]) -> tuple[str, ...]:
    """Return the ways of one panel, in the order of the table."""
    return (PANEL, *(alone(member) for member in members), OCHIAI)
