"""`.ensemble/dismissed.json`: dismissals that a team shares by committing them.

The file is data from a repository: its size is bounded, symbolic links are not followed, and what cannot be read
is never written over.
"""

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from ensemble_lsp.core.dismissals import Dismissal
from ensemble_lsp.core.errors import ConfigurationError
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.directories import state_directory

PLACE = ".ensemble/dismissed.json"
"""Below the workspace's root, with forward slashes."""

BYTES_AT_MOST = 2 * 1024 * 1024
ENTRIES_AT_MOST = 5_000

_LOCK_SECONDS = 10.0

FORMAT = 1


class _File(Frozen):
    version: int = Field(ge=FORMAT, le=FORMAT)
    dismissed: list[Dismissal] = Field(max_length=ENTRIES_AT_MOST)


def read_file(workspace: Path) -> tuple[Dismissal, ...]:
    """Return what the file of a workspace holds; nothing where there is none.

    Raises `ConfigurationError` for one that cannot be read or understood.
    """
    folder, path = workspace / Path(PLACE).parent, workspace / PLACE
    if folder.is_symlink():
        raise _unusable("its folder is a symbolic link")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as problem:
        raise _unusable(
            "it is a symbolic link" if path.is_symlink() else problem.strerror or str(problem)
        ) from problem
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _unusable("it is no regular file")
        data = file.read(BYTES_AT_MOST + 1)
    if len(data) > BYTES_AT_MOST:
        raise _unusable(f"it is larger than {BYTES_AT_MOST // 1024} KB")
    return _parsed(data)


def add_to_file(workspace: Path, dismissal: Dismissal) -> None:
    """Add one entry, in its place by path; raises `ConfigurationError` when the file cannot be used."""
    with _locked(workspace):
        others = [item for item in read_file(workspace) if _key(item) != _key(dismissal)]
        _write(workspace, [*others, dismissal])


def remove_from_file(workspace: Path, dismissal: Dismissal) -> None:
    """Take one entry out; raises `ConfigurationError` when the file cannot be used."""
    with _locked(workspace):
        _write(workspace, [item for item in read_file(workspace) if _key(item) != _key(dismissal)])


def _parsed(data: bytes) -> tuple[Dismissal, ...]:
    try:
        content: object = json.loads(data)
    except json.JSONDecodeError as problem:
        conflict = " (a merge is not finished)" if b"<<<<<<<" in data else ""
        raise _unusable(f"line {problem.lineno} is not JSON{conflict}") from problem
    except (UnicodeDecodeError, RecursionError, ValueError) as problem:
        raise _unusable("it is not JSON") from problem
    try:
        return tuple(_File.model_validate(content).dismissed)
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise _unusable(f"{where}: {first['msg']}") from problem


def _write(workspace: Path, entries: Iterable[Dismissal]) -> None:
    """Write the file anew, all or nothing: one entry over several lines, sorted, so that merges are easy."""
    shown: Sequence[object] = [item.to_wire() for item in sorted(entries, key=_key)]
    content = {"version": FORMAT, "dismissed": shown}
    try:
        data = json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # a path that is no UTF-8
        data = json.dumps(content, indent=2).encode() + b"\n"
    path = workspace / PLACE
    try:
        path.parent.mkdir(exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".dismissed-", suffix=".json")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            # Like any other file of the project: mkstemp's are for their owner alone.
            Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as problem:
        raise ConfigurationError(
            f"{PLACE} cannot be written: {problem.strerror or problem}",
            hint='review.dismissals = "private" keeps dismissals on this machine',
        ) from problem


def _key(dismissal: Dismissal) -> tuple[str, str]:
    return dismissal.path, dismissal.fingerprint


@contextmanager
def _locked(workspace: Path) -> Generator[None]:
    """Keep other processes from adding to the same file meanwhile; the lock lies outside the workspace."""
    directory = state_directory() / "locks"
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest = hashlib.sha256(os.fsencode(workspace.resolve())).hexdigest()[:16]
    try:
        with FileLock(directory / f"dismissed-{digest}.lock", timeout=_LOCK_SECONDS):
            yield
    except Timeout as problem:
        raise ConfigurationError(f"{PLACE} is being written by another process") from problem


def _unusable(why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{PLACE} cannot be used: {why}", hint="it hides nothing and is left as it is until it is put right"
    )
