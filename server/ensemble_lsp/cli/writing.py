"""Writes an accepted patch: all files or none, each atomically, bytes outside the patch as they were."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.proposals import FileChange


def write_changes(workspace: Path, changes: Sequence[FileChange]) -> tuple[Path, ...]:
    """Write the changes and return the paths; raises `UsageError` before anything is written.

    Refused when a file is not any more what the patch was made against, lies outside the workspace through a
    link, or cannot be written.
    """
    prepared: list[tuple[Path, bytes | None, bytes | None]] = []
    for change in changes:
        path = workspace / change.path
        resolved = path.resolve()
        if workspace.resolve() not in resolved.parents:
            raise UsageError(f"{change.path} leads outside the workspace", field="path")
        now = resolved.read_bytes() if resolved.exists() else None
        before = change.before.to_bytes() if change.before is not None else None
        if now != before:
            raise UsageError(
                f"{change.path} changed while the panel worked; nothing was written",
                field="path",
                hint="run the job again",
            )
        prepared.append((resolved, before, change.after.to_bytes() if change.after is not None else None))
    done: list[tuple[Path, bytes | None]] = []
    try:
        for path, before, after in prepared:
            _put(path, after)
            done.append((path, before))
    except OSError as problem:
        for path, before in reversed(done):
            _put(path, before)
        raise UsageError(
            f"{problem.filename or 'the file'} cannot be written: {problem.strerror}; nothing was changed",
            field="path",
        ) from problem
    return tuple(path for path, _, _ in prepared)


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o7777 if path.exists() else 0o644
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
