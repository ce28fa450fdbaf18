"""What became of each case under each way, one JSON object a line: a run that ended goes on where it was."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Generic, TypeVar

from ensemble_lsp.bench.appended import append_line, whole_lines
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.frozen import Frozen

PANEL = "panel"


def alone(member: str) -> str:
    """Return the name of the way in which one member's first answer stands alone."""
    return f"first answer:{member}"


class Entry(Frozen):
    """One case under one way."""

    case: str
    way: str
    calls: int = 0
    tokens: int = 0
    """Sent and received."""
    seconds: float = 0.0
    """Wall time of the panel's job; of one member what its answer took."""
    note: str = ""
    """One line for the reader."""


class Head(Frozen):
    """What the entries are of."""

    subject: str
    digest: str
    """SHA-256 (hex) of the set's file."""
    seed: int
    tests: str = ""
    """Locating: how the set's tests were put before the panel."""
    members: tuple[str, ...]


E = TypeVar("E", bound=Entry)


class Record(Generic[E]):
    """The entries in one file; `open` is its only maker."""

    def __init__(self, path: Path, kind: type[E], entries: dict[tuple[str, str], E]) -> None:
        self._path = path
        self._kind = kind
        self._entries = entries

    @classmethod
    def open(cls, path: Path, head: Head, kind: type[E], *, anew: bool = False) -> "Record[E]":
        """Read what is there; raises `UsageError` for entries of other inputs.

        `anew` drops the entries, not the members' answers, which are kept elsewhere.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        if anew:
            path.unlink(missing_ok=True)
        lines = whole_lines(path)
        if not lines:
            append_line(path, head)
            return cls(path, kind, {})
        try:
            known = Head.model_validate(json.loads(lines[0]))
            entries = [kind.model_validate(json.loads(line)) for line in lines[1:]]
        except ValueError as problem:
            raise UsageError(f"{path} is no record of this version", field="--out") from problem
        if known != head:
            raise UsageError(
                f"{path} is a record of other inputs", field="--out", hint="name another folder, or --anew"
            )
        return cls(path, kind, {(entry.case, entry.way): entry for entry in entries})

    def has(self, case: str, ways: tuple[str, ...]) -> bool:
        """Whether a case has an entry under all of the ways."""
        return all((case, way) in self._entries for way in ways)

    def add(self, entry: E) -> None:
        """Write down an entry."""
        self._entries[entry.case, entry.way] = entry
        append_line(self._path, entry)

    @property
    def by_way(self) -> Mapping[str, Mapping[str, E]]:
        """Way → case → entry, in the order in which they came."""
        found: dict[str, dict[str, E]] = {}
        for (case, way), entry in self._entries.items():
            found.setdefault(way, {})[case] = entry
        return found
