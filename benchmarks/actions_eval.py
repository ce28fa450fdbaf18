"""What the actions `test` and `locate` are worth with the members of this machine, beside one member's first answer.

    python -m benchmarks.actions_eval locate SET --cases 40 --seed 11 --local --yes
    python -m benchmarks.actions_eval locate SET --cases 102 --coverage-alone --local --yes --out DIR
    python -m benchmarks.actions_eval test SET --cases 20 --seed 11 --local --yes
    python -m benchmarks.actions_eval locate SET --tests whole --panel openai/gpt-5-mini,ollama/qwen3 --budget 1 --yes

SET is a JSONL file of small programs with one known bug each (docs/bench-cases.md). `locate` gets the buggy program
with its failing tests, `test` the right program without any test. Programs, tests and what members write run in the
product's sandbox. Every answer and outcome is kept in --out: the same command goes on where a run ended and asks
nothing twice; --anew judges the kept answers again.
"""

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from benchmarks.actions_eval_locate import (
    OCHIAI,
    Located,
    located,
    located_by_coverage,
    ways_of_locating,
    with_tests_apart,
)
from benchmarks.actions_eval_record import E, Head, Record
from benchmarks.actions_eval_seats import Seats, seated
from benchmarks.actions_eval_tables import Ways, tables_of_locating, tables_of_writing
from benchmarks.actions_eval_tests import Written, ways_of_writing, written
from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.examination import Examination
from ensemble_lsp.bench.inputs import drawn
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.sets import Seen
from ensemble_lsp.core.errors import BudgetExceeded, EnsembleError
from ensemble_lsp.core.events import Action
from ensemble_lsp.engine.messages import JobOptions

HOPELESS = 5
"""Cases in a row without an outcome, after which a run ends."""


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, run what is left, print the tables."""
    arguments = _parser().parse_args(words)
    seats = Seats(
        workspace=arguments.set.resolve().parent,
        options=JobOptions(
            panel=tuple(name.strip() for name in arguments.panel.split(",") if name.strip()),
            local=arguments.local,
            no_cache=True,
            overrides={"local": True} if arguments.local else {},
        ),
        usd=arguments.budget,
        agree=arguments.yes,
    )
    directory = arguments.out or Path(".cache/benchmarks") / f"{arguments.subject}-{arguments.seed}"
    directory.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(directory / "lock", timeout=0):
            print(asyncio.run(_run(arguments, seats, directory)))
    except Timeout:
        sys.exit(f"{directory} is in use: this benchmark runs elsewhere")
    except KeyboardInterrupt:
        sys.exit("interrupted; go on with the same command")
    except EnsembleError as problem:
        sys.exit(f"{problem.message}{f' ({problem.hint})' if problem.hint else ''}")


async def _run(arguments: argparse.Namespace, seats: Seats, directory: Path) -> str:
    cases = drawn(arguments.set, Subject.FIX, Seen.TESTS, arguments.cases, arguments.seed)
    action = Action(arguments.subject)
    async with seated(seats, action, directory, _say) as examination:
        members = tuple(member.id for member in examination.panel.members)
        head = Head(
            subject=arguments.subject,
            digest=hashlib.sha256(arguments.set.read_bytes()).hexdigest(),
            seed=arguments.seed,
            tests=arguments.tests if action is Action.LOCATE else "",
            members=members,
        )
        path = directory / f"{arguments.subject}.jsonl"
        if action is Action.LOCATE:
            ways = await _locate(
                arguments, examination, cases, Record[Located].open(path, head, Located, anew=arguments.anew)
            )
            tables = tables_of_locating(ways)
        else:
            record = Record[Written].open(path, head, Written, anew=arguments.anew)
            ways = await _test(arguments, examination, cases, record)
            tables = tables_of_writing(ways)
    if arguments.json:
        return json.dumps({way: [entry.to_wire() for entry in of.values()] for way, of in ways.items()})
    return tables


async def _locate(
    arguments: argparse.Namespace,
    examination: Examination,
    cases: Sequence[BenchCase],
    record: Record[Located],
) -> Ways[Located]:
    members = [member.id for member in examination.panel.members]
    names = (OCHIAI,) if arguments.coverage_alone else ways_of_locating(members)

    async def one(case: BenchCase) -> list[Located]:
        if arguments.tests == "apart":
            case = await with_tests_apart(examination, case)
        if arguments.coverage_alone:
            return await located_by_coverage(examination, case)
        return await located(examination, case)

    await _each(cases, names, record, one, arguments.at_once)
    return {name: record.by_way.get(name, {}) for name in names}


async def _test(
    arguments: argparse.Namespace,
    examination: Examination,
    cases: Sequence[BenchCase],
    record: Record[Written],
) -> Ways[Written]:
    names = ways_of_writing([member.id for member in examination.panel.members])

    async def one(case: BenchCase) -> list[Written]:
        return await written(examination, case, arguments.seed)

    await _each(cases, names, record, one, arguments.at_once)
    return {name: record.by_way.get(name, {}) for name in names}


async def _each(
    cases: Sequence[BenchCase],
    names: tuple[str, ...],
    record: Record[E],
    one: Callable[[BenchCase], Awaitable[Sequence[E]]],
    at_once: int,
) -> None:
    """Run what the record does not have; a case without an outcome is run again by the next command."""
    waiting = iter([case for case in cases if not record.has(case.id, names)])
    done = sum(record.has(case.id, names) for case in cases)
    failures = 0
    over: BudgetExceeded | None = None

    async def work() -> None:
        nonlocal done, failures, over
        for case in waiting:
            if over is not None or failures >= HOPELESS:
                return
            try:
                entries = await one(case)
            except BudgetExceeded as problem:
                over = problem
                return
            except EnsembleError as problem:
                failures += 1
                _say(f"{case.id}: no outcome: {problem.message}")
                continue
            failures = 0
            for entry in entries:
                record.add(entry)
            done += 1
            _say(f"{done} of {len(cases)}: {case.id}, {entries[0].seconds:.0f} s: {entries[0].note}")

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, at_once)):
            group.create_task(work())
    if over is not None:
        raise over


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.actions_eval",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("subject", choices=("locate", "test"))
    parser.add_argument("set", type=Path, metavar="SET", help="a JSONL file of programs with known bugs")
    parser.add_argument("--cases", type=int, default=20, metavar="N", help="programs at most (20)")
    parser.add_argument("--seed", type=int, default=1, help="fixes which are drawn, and in which order (1)")
    parser.add_argument("--panel", default="", metavar="MODEL,MODEL", help="who sits; else as for every job")
    parser.add_argument("--local", action="store_true", help="only models on this machine")
    parser.add_argument(
        "--tests",
        choices=("apart", "whole"),
        default="apart",
        help="locate: a suite that is one function becomes one test an assertion (apart), or stays as it is",
    )
    parser.add_argument("--coverage-alone", action="store_true", help="locate: ask nobody, rank by coverage")
    parser.add_argument(
        "--budget", type=float, default=0.0, metavar="USD", help="cap on all calls (0: local ones)"
    )
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="programs at the same time (1)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="the folder of the record and the answers")
    parser.add_argument("--anew", action="store_true", help="judge again what is kept, ask only what is not")
    parser.add_argument(
        "--yes", action="store_true", help="agree to sending code to the members, fetching weights"
    )
    parser.add_argument("--json", action="store_true", help="print the record instead of tables")
    return parser


if __name__ == "__main__":
    main()
