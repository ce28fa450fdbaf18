"""Writing tests: what the panel proposes for a right program, beside the first answer of each member as it came."""

import ast
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from benchmarks.actions_eval_record import PANEL, Entry, alone
from benchmarks.actions_eval_seats import Heard, Listening, unless_in_vain
from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.examination import Examination
from ensemble_lsp.bench.judge import Judge
from ensemble_lsp.bench.mutation.functions import functions_of
from ensemble_lsp.bench.mutation.mutants import mutants_of
from ensemble_lsp.bench.mutation.source import Source
from ensemble_lsp.bench.suite import Suite, SuiteRun
from ensemble_lsp.bench.symbols import lines_of_symbol
from ensemble_lsp.bench.ways.catalogue import Kind, Way
from ensemble_lsp.bench.workspace import laid_out, write_files
from ensemble_lsp.checks.selection import is_test_file
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.ensemble.actions import write_tests

RUN_SECONDS = 60.0
MUTANT_SECONDS = 30.0
"""For all tests on one mutant: one that never ends counts as noticed."""
TEST_SECONDS = 5.0
_CONFTEST = "import pathlib, sys\n\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\n"
"""The tests stand in folders of their own, and import the program by its name."""
_FENCED = re.compile(r"^```[^\n]*\n(.*?)(?:^```|\Z)", re.DOTALL | re.MULTILINE)
_TEST = re.compile(r"^\s*(?:async\s+)?def (test\w*)", re.MULTILINE)


class Written(Entry):
    """The tests of one way for one function."""

    generated: int = 0
    """Tests in all answers that were asked for."""
    shown: int = 0
    """Tests that the person gets: of one member all, of the panel what it proposes."""
    passed: int = 0
    """Of those shown, the ones that run and pass on the right program."""
    mutants: int = 0
    """Changes of the function that the set's own tests notice."""
    killed: int = 0
    """Of those, the ones that a passing test notices."""
    alarms: int = 0
    """Suspected bugs that are shown: the program is right, so all of them are false."""


async def mutants_for(judge: Judge, case: BenchCase, seed: int) -> tuple[str, ...]:
    """Return changed texts of the right program: one for each kind of mistake that fits, noticed by the set's tests.

    The operators are those of `ensemble_lsp.bench.mutation`, not those by which the action chooses among tests.
    """
    source = Source(case.original)
    functions = functions_of(source)
    # Of a method or function inside a function the one that was asked for stands around it.
    wanted = [item for item in functions if item.symbol.partition(".")[0] == case.symbol] or list(functions)
    texts = dict.fromkeys(
        mutant.text for function in wanted for mutant in mutants_of(source, function, f"{seed}:{case.id}")
    )
    noticed = [text for text in texts if not await judge.passes(case, text)]
    return tuple(noticed)


async def written(examination: Examination, case: BenchCase, seed: int) -> list[Written]:
    """Run one case: the panel's action on the right program, and each member's first answer as it is.

    Raises `EnsembleError` where a member could not be reached or nothing could be run.
    """
    mutants = await mutants_for(examination.judge, case, seed)
    beside = {
        path: text for path, text in case.judged_by.items() if path.endswith(".py") and not is_test_file(path)
    }
    right = case.model_copy(update={"files": {**beside, case.path: case.original}})
    way = Way(name=PANEL, kind=Kind.PANEL)
    task = Task(
        action=Action.TEST,
        path=case.path,
        range=lines_of_symbol(case.original, case.symbol) if case.symbol else None,
    )
    with laid_out(right) as place:
        async with examination.attempt(right, place, way, task=task) as attempt:
            listening = Listening(attempt.deliberation.models)
            attempt.deliberation.models = listening
            result = await write_tests.run(attempt.deliberation)
            seconds = attempt.models.watch.seconds()
            unless_in_vain(examination, attempt)
            spent = attempt.budget.spent
    texts = {PANEL: _proposed(result)}
    for member in examination.panel.members:
        heard = listening.first_of(member.id)[:1]
        code = code_of(heard[0].reply.text) if heard else ""
        texts[alone(member.id)] = {f"test_{Path(case.path).stem}.py": code} if code else {}
    judged = await judged_by_mutants(examination.judge, right, texts, mutants)
    panel = Written(
        case=case.id,
        way=PANEL,
        generated=sum(len(names_of_tests(code_of(item.reply.text))) for item in listening.heard),
        shown=sum(len(names_of_tests(text)) for path, text in texts[PANEL].items() if is_test_file(path)),
        passed=judged[PANEL][0],
        mutants=len(mutants),
        killed=judged[PANEL][1],
        alarms=sum(item.admitted for item in result.findings),
        calls=spent.calls,
        tokens=spent.tokens_in + spent.tokens_out,
        seconds=round(seconds, 1),
        note=result.reason[:200],
    )
    members = [
        _alone(case, member.id, listening.first_of(member.id)[:1], judged[alone(member.id)], len(mutants))
        for member in examination.panel.members
    ]
    return [panel, *members]


def _proposed(result: JobResult) -> dict[str, str]:
    if result.proposal is None:
        return {}
    return {
        change.path: change.after.text
        for change in result.proposal.chosen.changes
        if change.after is not None
    }


def _alone(
    case: BenchCase, member: str, heard: Sequence[Heard], judged: tuple[int, int], mutants: int
) -> Written:
    tests = names_of_tests(code_of(heard[0].reply.text)) if heard else []
    passed, killed = judged
    return Written(
        case=case.id,
        way=alone(member),
        generated=len(tests),
        shown=len(tests),
        passed=passed,
        mutants=mutants,
        killed=killed,
        alarms=len(tests) - passed,
        calls=len(heard),
        tokens=sum(item.reply.spend.tokens_in + item.reply.spend.tokens_out for item in heard),
        seconds=round(sum(item.reply.seconds for item in heard), 1),
        note="" if tests else "no test in the answer",
    )


def code_of(reply: str) -> str:
    """Return what a person would copy out of an answer: the fenced block with the most tests, else all of it."""
    blocks = _FENCED.findall(reply)
    best = max(blocks, key=lambda block: len(_TEST.findall(block)), default=reply)
    return best if _TEST.search(best) else ""


def names_of_tests(code: str) -> list[str]:
    """Return the names of the test functions that a module has, also where it does not parse."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _TEST.findall(code)
    return [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")
    ]


async def judged_by_mutants(
    judge: Judge, right: BenchCase, texts: Mapping[str, Mapping[str, str]], mutants: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return, for each way, how many of its tests pass on the right program and how many mutants those notice.

    Each way's files stand in a folder of their own, so that one run tells of all. What such a run does not tell, since
    something in it ended it, is run alone.
    """
    with tempfile.TemporaryDirectory(dir=judge.scratch) as name:
        workspace = Path(name) / "work"
        write_files(workspace, {**right.files, "conftest.py": _CONFTEST})
        placed = {way: _placed(number, texts[way]) for number, way in enumerate(texts)}
        for files in placed.values():
            write_files(workspace, files)
        async with Suite.open(
            workspace, sandbox=judge.sandbox, python=judge.python, scratch=Path(name) / "shadows", at_once=1
        ) as suite:
            ids = {way: await _passing(suite, list(files)) for way, files in placed.items()}
            killed = dict.fromkeys(texts, 0)
            for text in mutants:
                change = suite.change(right.path, text)
                for way, noticed in (await _noticed(suite, ids, change)).items():
                    killed[way] += noticed
    return {way: (len(functions_among(ids[way])), killed[way]) for way in texts}


def _placed(number: int, files: Mapping[str, str]) -> dict[str, str]:
    return {
        f"way{number}/{PurePosixPath(path).stem}_{number}.py": text
        for path, text in files.items()
        if is_test_file(path)
    }


async def _passing(suite: Suite, files: Sequence[str]) -> frozenset[str]:
    if not files:
        return frozenset()
    # With lines recorded no run ends early, however many tests fail.
    run = await suite.run(files, seconds=RUN_SECONDS, test_seconds=TEST_SECONDS, record_lines=True)
    return passing(run)


async def _noticed(suite: Suite, ids: Mapping[str, frozenset[str]], change: FileChange) -> dict[str, bool]:
    every = sorted(frozenset[str]().union(*ids.values()))
    if not every:
        return {}
    run = await _on_mutant(suite, every, change)
    found: dict[str, bool] = {}
    for way, mine in ids.items():
        if not mine or mine <= run.passed:
            found[way] = False
        elif mine & run.failed:
            found[way] = True
        else:
            found[way] = (await _on_mutant(suite, sorted(mine), change)).outcome is not Outcome.PASSED
    return found


async def _on_mutant(suite: Suite, ids: Sequence[str], change: FileChange) -> SuiteRun:
    return await suite.run(ids, seconds=MUTANT_SECONDS, test_seconds=TEST_SECONDS, changes=(change,))


def passing(run: SuiteRun) -> frozenset[str]:
    """Return the ids of the tests that pass with all their parameters."""
    failed = functions_among(run.failed)
    return frozenset(name for name in run.passed if name.partition("[")[0] not in failed)


def functions_among(ids: Iterable[str]) -> frozenset[str]:
    """Return test ids without their parameters."""
    return frozenset(name.partition("[")[0] for name in ids)


def ways_of_writing(members: Sequence[str]) -> tuple[str, ...]:
    """Return the ways of one panel, in the order of the table."""
    return (PANEL, *(alone(member) for member in members))
