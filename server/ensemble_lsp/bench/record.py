"""The record of a run: append-only JSONL, so that whatever ends a run, it goes on where it ended.

Each line is an object with one key: `head` (what is run; the first line, and again when more ways are asked for)
or `outcome`. A last line that a kill cut off is dropped.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import Field

from ensemble_lsp.bench.appended import append_line, whole_lines
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.ways.catalogue import LeftOut, Way
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.frozen import Frozen

FILE_NAME = "record.jsonl"


class HeadMember(Frozen):
    """A member as the report names it. Prices are US dollars per million tokens, None when nobody knows."""

    id: str
    model: str
    family: str
    local: bool = False
    price_in: float | None = None
    price_out: float | None = None


class RunInputs(Frozen):
    """What outcomes depend on: records of different inputs are never mixed."""

    subject: Subject
    set: str
    """`mutants`, or the file name of the set."""
    digest: str
    """SHA-256 (hex) of the chosen cases."""
    seed: int
    cases: tuple[str, ...]
    """Ids of the chosen cases, in the order in which they are run."""
    check: str = "tests"
    """Which tests the members' answers are checked with: all (`tests`), or the visible part."""
    members: tuple[HeadMember, ...]
    anchor: str = ""
    strong: HeadMember | None = None
    k: int
    """Samples at most of the ways that sample."""
    rounds: int = 1
    """Rounds of a debate."""


class RunHead(Frozen):
    """What was run, for the report."""

    inputs: RunInputs
    ways: tuple[Way, ...]
    left_out: tuple[LeftOut, ...] = ()
    version: str
    """The product's version."""
    commit: str = ""
    """Git commit of the product, where it runs from a checkout; `+` behind it where that was changed."""
    started: str
    """When the run began: ISO 8601, UTC."""
    command: tuple[str, ...]
    """The command line, to be typed again."""
    python: str = ""
    platform: str = ""
    interrupted: str = ""
    """Why not every case was run in every way; empty for a whole run."""
    notes: tuple[str, ...] = ()
    """What a reader should know: one family only, cases that could not be used."""

    @property
    def families(self) -> tuple[str, ...]:
        """The distinct families of the members, sorted."""
        return tuple(sorted({member.family for member in self.inputs.members}))


class _Line(Frozen):
    head: RunHead | None = None
    outcome: Outcome | None = Field(default=None)


class Record:
    """The outcomes of one run so far. `open` is its only maker; one process at a time writes it."""

    def __init__(self, path: Path, head: RunHead, outcomes: Sequence[Outcome]) -> None:
        self._path = path
        self.head = head
        self._outcomes = {(outcome.case, outcome.way): outcome for outcome in outcomes}

    @classmethod
    def open(cls, directory: Path, head: RunHead) -> "Record":
        """Begin a record, or go on with the one of the same inputs; raises `UsageError` for another's.

        The beginning stays: `started` is that of the first run.
        """
        path = directory / FILE_NAME
        directory.mkdir(parents=True, exist_ok=True)
        lines = list(_read(path))
        heads = [line.head for line in lines if line.head is not None]
        if heads:
            _refuse_other(path, heads[0].inputs, head.inputs)
            head = head.model_copy(update={"started": heads[0].started})
        record = cls(path, head, [line.outcome for line in lines if line.outcome is not None])
        if not heads or heads[-1] != head:
            record._append(_Line(head=head))
        return record

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """All outcomes, in the order in which they were first made."""
        return tuple(self._outcomes.values())

    def has(self, case: str, way: str) -> bool:
        """Whether this outcome is there; one that failed is made again."""
        known = self._outcomes.get((case, way))
        return known is not None and not known.failed

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome for good."""
        self._outcomes[outcome.case, outcome.way] = outcome
        self._append(_Line(outcome=outcome))

    def _append(self, line: _Line) -> None:
        append_line(self._path, line)


def read_record(directory: Path) -> tuple[RunHead, tuple[Outcome, ...]]:
    """Return the last head and the outcomes of a record; raises `UsageError` when there is none."""
    lines = list(_read(directory / FILE_NAME))
    heads = [line.head for line in lines if line.head is not None]
    if not heads:
        raise UsageError(f"{directory} holds no record of a benchmark", field="--out")
    made = {(o.case, o.way): o for line in lines if (o := line.outcome) is not None}
    return heads[-1], tuple(made.values())


def _read(path: Path) -> Iterator[_Line]:
    """Read the lines that are whole; raises `UsageError` for other files."""
    for number, line in enumerate(whole_lines(path), start=1):
        try:
            yield _Line.model_validate(json.loads(line))
        except ValueError as problem:
            raise UsageError(
                f"{path}, line {number}: this is no record of this version's benchmark",
                field="--out",
                hint="name another folder with --out",
            ) from problem


def _refuse_other(path: Path, before: RunInputs, now: RunInputs) -> None:
    old, new = before.to_wire(), now.to_wire()
    different = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if different:
        raise UsageError(
            f"{path.parent} holds the record of another run: it differs in {', '.join(different)}",
            field="--out",
            hint="name another folder with --out, or give the earlier run's command again",
        )
