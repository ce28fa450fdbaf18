"""How many known bugs the embedded panel fixes, next to each member alone and to best-of-k at equal calls.

    python -m benchmarks.bugfix CASES.jsonl --out runs.jsonl --cases 40 --seed 1

Every outcome is appended to `--out` as soon as it is there; a run that was interrupted goes on from it, and a
finished one only prints its table. State (the reply cache among it) lies beside it in `OUT.state`.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.bugfix_cases import Case, Judge, Seen, choose, lay_out, read_cases
from benchmarks.bugfix_figures import Outcome, compare, rows, table
from benchmarks.bugfix_ways import Examination, Price, Prices, ProductPanel
from ensemble_lsp.checks.detection import detect
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.core.events import Mode
from ensemble_lsp.engine.local import LocalEngine

_CASE_SECONDS = 1_200.0
"""The deadline of one panel job: far above what a CPU needs, so that the deadline decides nothing."""
_FIRST = "first of "
_BEST = "best of "


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    cases: Path
    out: Path
    count: int | None
    seed: int
    model: str
    members: int
    mode: Mode
    seen: Seen
    best_of: str
    most: int | None
    at_once: int
    mirror: bool
    ways: frozenset[str]

    @property
    def settings(self) -> dict[str, object]:
        """The product's settings of every job."""
        return {
            "embedded": {"model": self.model, "mirror": self.mirror, "members": self.members},
            "budget": {"seconds": _CASE_SECONDS},
            "local": True,
        }


class Record:
    """The outcomes so far, kept in a JSONL file whose first line says what was run."""

    def __init__(self, options: Options) -> None:
        self._path = options.out
        self._head = {
            "set": options.cases.name,
            "seed": options.seed,
            "model": options.model,
            "members": options.members,
            "mode": options.mode.value,
            "seen": options.seen.value,
        }
        self.outcomes: list[Outcome] = []
        if not self._path.exists():
            self._append(self._head)
            return
        lines = self._path.read_text(encoding="utf-8").splitlines()
        if not lines or json.loads(lines[0]) != self._head:
            raise SystemExit(
                f"{self._path} holds another run ({lines[0] if lines else 'nothing'}): name a new file"
            )
        self.outcomes = [Outcome(**json.loads(line)) for line in lines[1:] if line.endswith("}")]

    def has(self, case: Case, way: str) -> bool:
        """Say whether this outcome is known already."""
        return any(outcome.case == case.id and outcome.way == way for outcome in self.outcomes)

    def ways(self, case: Case) -> tuple[str, ...]:
        """Return the ways that this case was run in."""
        return tuple(outcome.way for outcome in self.outcomes if outcome.case == case.id)

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome, and say so."""
        self.outcomes.append(outcome)
        self._append(asdict(outcome))
        mark = "solved" if outcome.solved else "FALSE ACCEPT" if outcome.accepted else "-"
        figures = f"{outcome.calls} calls {outcome.seconds:6.1f} s"
        _tell(f"  {outcome.way:<34} {mark:<13} {figures}  {outcome.note}")

    def _append(self, line: Mapping[str, object]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def solved(self, way: str) -> dict[str, bool]:
        """Return case → solved for one way."""
        return {outcome.case: outcome.solved for outcome in self.outcomes if outcome.way == way}

    def first_prices(self) -> Prices:
        """Return what the first answers of earlier runs cost."""
        return {
            (outcome.case, outcome.way.removeprefix(_FIRST)): Price(
                Spend(calls=1, tokens_in=outcome.prompt_tokens, tokens_out=outcome.output_tokens),
                outcome.seconds,
            )
            for outcome in self.outcomes
            if outcome.way.startswith(_FIRST)
        }

    def best_single(self) -> str:
        """Return the member whose first answers solve most; the first seat among equals."""
        ways = dict.fromkeys(outcome.way for outcome in self.outcomes if outcome.way.startswith(_FIRST))
        best = max(ways, key=lambda way: sum(self.solved(way).values()), default="")
        return best.removeprefix(_FIRST)


class Run:
    """One run over the cases; what `record` holds already is not done again."""

    def __init__(self, options: Options, record: Record, examination: Examination) -> None:
        self._options = options
        self._record = record
        self._examination = examination

    async def over(self, cases: Sequence[Case]) -> None:
        """Run the panel and the first answers on every case, then best-of-k with the best single member."""
        for number, case in enumerate(cases, start=1):
            _tell(f"{number}/{len(cases)} {case.id}")
            await self._panel(case)
            await self._firsts(case)
        single = self._options.best_of or self._record.best_single()
        if "best" not in self._options.ways or not single:
            return
        for number, case in enumerate(cases, start=1):
            _tell(f"best of k, {number}/{len(cases)} {case.id}")
            await self._best(case, single)

    async def _panel(self, case: Case) -> None:
        if "panel" not in self._options.ways or self._record.has(case, "panel"):
            return
        with _workspace(case, self._options.seen) as workspace:
            run = self._examination.panel.run
            self._record.add(await self._examination.run_panel(run, workspace, case))

    async def _firsts(self, case: Case) -> None:
        known = sum(way.startswith(_FIRST) for way in self._record.ways(case))
        if "firsts" not in self._options.ways or known >= self._options.members:
            return
        with _workspace(case, self._options.seen) as workspace:
            async with self._examination.table(workspace, case) as casefile:
                for member in casefile.deliberation.panel.members:
                    if not self._record.has(case, f"{_FIRST}{member.id}"):
                        self._record.add(await self._examination.first_answer(casefile, case, member))

    async def _best(self, case: Case, single: str) -> None:
        if any(way.startswith(_BEST) for way in self._record.ways(case)):
            return
        with _workspace(case, self._options.seen) as workspace:
            async with self._examination.table(workspace, case) as casefile:
                member = casefile.deliberation.panel.member(single)
                most = self._options.most if self._options.most is not None else casefile.bound
                at_once = self._options.at_once
                self._record.add(
                    await self._examination.best_of(casefile, case, member, most=most, at_once=at_once)
                )


async def run(options: Options) -> None:
    """Run what is missing and print the table."""
    cases = choose(read_cases(options.cases), options.count, options.seed, options.seen)
    record = Record(options)
    judge = Judge(await detect())
    if not judge.sandbox.enforced:
        raise SystemExit("nothing here can confine the programs that a model writes; not run")
    async with LocalEngine.open(_agree) as engine:
        panel = ProductPanel(engine, options.settings, options.mode)
        examination = Examination(panel, judge, options.seen, record.first_prices())
        await Run(options, record, examination).over(cases)
    sys.stdout.write("\n".join(_report(record)) + "\n")


async def _agree(_question: object) -> bool:
    return True  # embedded members only: the one question there can be is the download of their weights


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


@contextmanager
def _workspace(case: Case, seen: Seen) -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        workspace = Path(name)
        lay_out(case, workspace, seen)
        yield workspace


def _report(record: Record) -> Iterator[str]:
    yield table(rows(record.outcomes))
    best = next((o.way for o in record.outcomes if o.way.startswith(_BEST)), None)
    mine = record.solved("panel")
    for way in filter(None, (best, f"{_FIRST}{record.best_single()}" if record.best_single() else None)):
        pair = compare(mine, record.solved(way))
        yield (
            f"panel against {way}: both {pair.both}, only the panel {pair.only_first}, "
            f"only the other {pair.only_second}, neither {pair.neither}; McNemar exact p = {pair.p:.3f}"
        )


def _options() -> Options:
    parser = argparse.ArgumentParser(prog="benchmarks.bugfix", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("cases", type=Path, help="the set of cases, a JSONL file")
    parser.add_argument(
        "--out", type=Path, required=True, help="JSONL file of outcomes; a run goes on from it"
    )
    parser.add_argument("--cases", dest="count", type=int, help="how many to draw (all when not given)")
    parser.add_argument("--seed", type=int, default=1, help="fixes which cases are drawn")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b", help="embedded model")
    parser.add_argument("--members", type=int, default=2, help="how many members it seats")
    parser.add_argument("--mode", type=Mode, default=Mode.PANEL, choices=list(Mode), help="the panel's mode")
    parser.add_argument(
        "--check", dest="seen", type=Seen, default=Seen.TESTS, choices=list(Seen), help="tests the panel sees"
    )
    parser.add_argument("--best-of", default="", help="member for best-of-k (the best single one when unset)")
    parser.add_argument("--most", type=int, help="k (the panel's bound on calls when unset)")
    parser.add_argument("--at-once", type=int, default=2, help="samples drawn in parallel for best-of-k")
    parser.add_argument(
        "--weights-mirror", dest="mirror", action="store_true", help="allow the mirror packages"
    )
    parser.add_argument(
        "--ways", default="panel,firsts,best", help="which of panel, firsts, best to run, separated by commas"
    )
    given = parser.parse_args()
    return Options(
        cases=given.cases,
        out=given.out,
        count=given.count,
        seed=given.seed,
        model=given.model,
        members=given.members,
        mode=given.mode,
        seen=given.seen,
        best_of=given.best_of,
        most=given.most,
        at_once=given.at_once,
        mirror=given.mirror,
        ways=frozenset(given.ways.split(",")),
    )


def main() -> None:
    """Run from the command line."""
    options = _options()
    # A store of its own: the person's spending, consent and cache are left alone.
    state = options.out.with_suffix(".state").resolve()
    os.environ["ENSEMBLE_STATE_DIR"] = str(state)
    began = time.monotonic()
    try:
        asyncio.run(run(options))
    except EnsembleError as problem:
        raise SystemExit(str(problem)) from problem
    except KeyboardInterrupt:
        raise SystemExit(f"interrupted; go on with the same command ({options.out})") from None
    _tell(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
