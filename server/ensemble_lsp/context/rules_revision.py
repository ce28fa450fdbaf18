"""The files that say how a repository is reviewed, as they are at one commit.

Who may change a repository's settings, ignore files, notes and dismissals may decide what a review sees and says.
For a change by somebody who is not trusted they are therefore read from a commit that the change cannot touch. They
are copied into a folder of ours, which stands for the workspace wherever such a file is looked for: what the change
itself holds under these names is then text like any other.
"""

import os
import re
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ensemble_lsp.context.git import git_root, list_with_git
from ensemble_lsp.context.git_changes import commit_of, files_at, read_blobs, require_work_tree
from ensemble_lsp.context.regular_files import read_regular
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.directories import cache_directory

FILES_AT_MOST = 2_000
"""Such files in one repository; more are not there to be read."""
BYTES_AT_MOST = 2 * 1024 * 1024
"""Of one such file, as much as the largest that any of their readers takes."""

_LISTED_AT_MOST = 1_000_000
_ANYWHERE = frozenset({".gitignore", ".ensembleignore", "AGENTS.md", "CLAUDE.md", ".cursorrules"})
_BELOW = (".github/copilot-instructions.md",)
_AT_THE_ROOT = re.compile(
    r"ensemble\.toml|pyproject\.toml|\.ensemble/dismissed\.json|CONTRIBUTING\.md|README[^/]*"
)
_OURS = b"tool.ensemble"


@dataclass(frozen=True, slots=True)
class RulesCopy:
    """The rules of a workspace as they are at `commit`. It is there as long as `rules_at` is."""

    folder: Path
    """What stands for the workspace; the rules of the folders above it lie above it."""
    commit: str
    changed: tuple[str, ...]
    """The rules that the work tree holds otherwise: paths from the root of the repository, sorted."""


@contextmanager
def rules_at(workspace: Path, revision: str) -> Generator[RulesCopy]:
    """Copy the rules at `revision` into a folder of ours that only this user can read.

    Raises `UsageError` for what is no commit here, and outside of git.
    """
    require_work_tree(workspace)
    commit = commit_of(workspace, revision, field="rules")
    root = (git_root(workspace) or workspace).resolve()
    home = PurePosixPath(workspace.resolve().relative_to(root).as_posix())
    blobs = {path: blob for path, blob in files_at(workspace, commit) if is_rule(path, home)}
    if len(blobs) > FILES_AT_MOST:
        raise UsageError(f"more than {FILES_AT_MOST} ignore files and notes at {revision}", field="rules")
    contents = read_blobs(workspace, blobs.values(), limit=BYTES_AT_MOST)
    held = {path: contents[blob] for path, blob in blobs.items() if blob in contents}
    place = cache_directory()
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=place, prefix="rules-") as name:
        copy = Path(name)
        for path, data in held.items():
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_bytes(data)
        (copy / home).mkdir(parents=True, exist_ok=True)
        yield RulesCopy(copy / home, commit, _changed(root, home, held))


def is_rule(path: str, home: PurePosixPath) -> bool:
    """Whether a path from the root of a repository is one of the rules of the workspace at `home` in it."""
    place = PurePosixPath(path)
    if any(part in {"", ".", "..", ".git"} for part in path.split("/")):
        return False
    if place.name in _ANYWHERE or path.endswith(_BELOW):
        return True
    return place.is_relative_to(home) and bool(_AT_THE_ROOT.fullmatch(place.relative_to(home).as_posix()))


def _changed(root: Path, home: PurePosixPath, held: dict[str, bytes]) -> tuple[str, ...]:
    listed = list_with_git(root, "--cached", "--others", "--exclude-standard", limit=_LISTED_AT_MOST) or ()
    paths = {*held, *(path for path in listed if is_rule(path, home))}
    return tuple(
        sorted(path for path in _counting(paths) if _now(root / path, path) != _ours(path, held.get(path)))
    )


def _counting(paths: Iterable[str]) -> Iterator[str]:
    """Leave out what guides people: a README says nothing to a review of code."""
    return (path for path in paths if not PurePosixPath(path).name.startswith("README"))


def _now(file: Path, path: str) -> bytes | None:
    try:
        data = read_regular(os.fspath(file), BYTES_AT_MOST, follow_links=False)
    except OSError:
        return None
    return _ours(path, data)


def _ours(path: str, data: bytes | None) -> bytes | None:
    """Return what of a file is a rule: of most all, of a pyproject.toml nothing where it does not speak of us."""
    if data is None or (PurePosixPath(path).name == "pyproject.toml" and _OURS not in data):
        return None
    return data.replace(b"\r\n", b"\n")
