"""Files that were renamed or deleted in this session, so that results find the file that their job was about."""

from pathlib import Path

MOVES = 10_000
"""Renames that are remembered; a result whose job is older than that is lost with its old path."""


class FileMoves:
    """What the editor told of renames and deletions, in their order.

    A job remembers the `count` at its start: only later renames concern it. A file that is made at a place which
    another one has left is not that other one.
    """

    def __init__(self) -> None:
        self._moves: list[tuple[Path, Path]] = []
        self._forgotten = 0
        self._deleted: dict[Path, None] = {}

    @property
    def count(self) -> int:
        """How many renames were told so far."""
        return self._forgotten + len(self._moves)

    def renamed(self, old: Path, new: Path) -> None:
        """A file or a folder has another path now."""
        self._moves.append((old, new))
        surplus = len(self._moves) - MOVES
        if surplus > 0:
            del self._moves[:surplus]
            self._forgotten += surplus
        self.made(new)

    def deleted(self, path: Path) -> None:
        """A file or a folder was deleted."""
        self._deleted[path] = None
        for oldest in tuple(self._deleted)[:-MOVES]:
            del self._deleted[oldest]

    def made(self, path: Path) -> None:
        """There is a file at this path (again)."""
        self._deleted.pop(path, None)

    def follow(self, path: Path, since: int) -> Path:
        """Return where a file is now that was at `path` when `since` renames had been told."""
        for old, new in self._moves[max(0, since - self._forgotten) :]:
            path = _moved(path, old, new)
        return path

    def is_deleted(self, path: Path) -> bool:
        """Whether the editor deleted the file and nobody made it again; looks at the disk only then."""
        if not self._deleted:
            return False
        return any(each in self._deleted for each in (path, *path.parents)) and not path.exists()


def _moved(path: Path, old: Path, new: Path) -> Path:
    if path == old:
        return new
    return new / path.relative_to(old) if old in path.parents else path
