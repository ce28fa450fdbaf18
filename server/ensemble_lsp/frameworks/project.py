"""What a project looks like to whoever asks how its tests are written."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

SAMPLES = 9
"""Test files looked into or counted to see how tests are written here."""


@dataclass(frozen=True, slots=True)
class ProjectFiles:
    """The files of a workspace and one of them, `path`, that tests are to be written for; `read` gives "" for none."""

    path: str
    files: frozenset[str]
    read: Callable[[str], str]

    def nearest(self, names: Iterable[str], *, to: str = "", most: int = SAMPLES) -> list[str]:
        """Return the files that share most folders with the code, or with `to`."""
        place = to or self.path
        return sorted(names, key=lambda name: (-shared_folders(name, place), len(name), name))[:most]

    def folders_above(self) -> list[str]:
        """Return the folders around the code, the innermost first, each ending in a slash; "" is the root."""
        return ["" if str(folder) == "." else f"{folder}/" for folder in PurePosixPath(self.path).parents]


def shared_folders(path: str, other: str) -> int:
    """Return how many leading folders two paths share."""
    count = 0
    for left, right in zip(PurePosixPath(path).parts[:-1], PurePosixPath(other).parts[:-1], strict=False):
        if left != right:
            break
        count += 1
    return count
