"""Writes an accepted patch: all files or none, each atomically, bytes outside the patch as they were."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ensemble_lsp.cli.failures import NotApplied
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import Unwritable

_NEW_FILE_MODE = 0o666


@dataclass(slots=True)
class _Step:
    """One file on its way: the new bytes and the old file both stand beside it until all files are through."""

    path: Path
    staged: Path | None = None
    """None: the file is deleted."""
    backup: Path | None = None
    """None: there was no file."""
    replaced: bool = False
    folders: list[Path] = field(default_factory=list[Path])
    """Folders that were made for it, outermost first."""


def write_changes(workspace: Path, changes: Sequence[FileChange]) -> tuple[Path, ...]:
    """Write the changes and return the paths; raises `NotApplied`, and then every file is as it was.

    Refused when a file is not any more what the patch was made against, lies outside the workspace through a
    link, or cannot be written.
    """
    targets = [_checked(workspace.resolve(), change) for change in changes]
    steps: list[_Step] = []
    current = workspace
    try:
        # Everything that a full disk or a read-only folder refuses is refused here, before any file changes.
        for path, change in zip(targets, changes, strict=True):
            step = _Step(current := path)
            steps.append(step)
            _stage(step, change.after.to_bytes_for_a_file() if change.after is not None else None)
        for step in steps:
            current = step.path
            _replace(step)
    except OSError as problem:
        raise _unwritable(current, problem, _put_back(steps)) from problem
    except Unwritable as problem:
        _put_back(steps)
        raise NotApplied(
            f"{current.relative_to(workspace.resolve())}: {problem}; nothing was written"
        ) from problem
    except BaseException:
        _put_back(steps)
        raise
    for step in steps:
        if step.backup is not None:
            step.backup.unlink(missing_ok=True)
    return tuple(targets)


def _checked(root: Path, change: FileChange) -> Path:
    try:
        path = (root / change.path).resolve()
        if not path.is_relative_to(root) or path == root:
            raise NotApplied(f"{change.path} leads outside the workspace; nothing was written")
        now = path.read_bytes() if path.exists() else None
    except OSError as problem:
        raise _unwritable(root / change.path, problem, []) from problem
    if now != (change.before.to_bytes_for_tools() if change.before is not None else None):
        raise NotApplied(
            f"{change.path} changed while the panel worked; nothing was written",
            hint="run the job again; the patch against the old text is kept with the job",
        )
    return path


def _stage(step: _Step, data: bytes | None) -> None:
    path = step.path
    if data is not None:
        for folder in reversed([path.parent, *path.parent.parents]):
            if not folder.exists():
                folder.mkdir()
                step.folders.append(folder)
        step.staged = _beside(path, data)
    if path.exists():
        step.backup = _beside(path, b"")
        shutil.copy2(path, step.backup)


def _beside(path: Path, data: bytes) -> Path:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".ensemble-")
    staged = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        _dress(staged, path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    return staged


def _dress(staged: Path, path: Path) -> None:
    """Give a staged file the mode and the owner of the one that it replaces, or those of any new file."""
    if not path.exists():
        mask = os.umask(0)
        os.umask(mask)
        staged.chmod(_NEW_FILE_MODE & ~mask)
        return
    status = path.stat()
    staged.chmod(status.st_mode & 0o7777)
    if hasattr(os, "chown"):
        # Only root may give a file away; everybody else keeps their own.
        with contextlib.suppress(PermissionError):
            os.chown(staged, status.st_uid, status.st_gid)


def _replace(step: _Step) -> None:
    if step.staged is not None:
        step.staged.replace(step.path)
    else:
        step.path.unlink()
    step.replaced = True


def _put_back(steps: Sequence[_Step]) -> list[Path]:
    """Undo what was done and remove what was staged; return the files that could not be restored."""
    left: list[Path] = []
    for step in reversed(steps):
        try:
            if step.replaced and step.backup is not None:
                step.backup.replace(step.path)
            elif step.replaced:
                step.path.unlink()
        except OSError:
            left.append(step.backup or step.path)
            continue
        for leftover in (step.staged, step.backup):
            if leftover is not None:
                with contextlib.suppress(OSError):
                    leftover.unlink(missing_ok=True)
        for folder in reversed(step.folders):
            with contextlib.suppress(OSError):
                folder.rmdir()
    return left


def _unwritable(path: Path, problem: OSError, left: Sequence[Path]) -> NotApplied:
    what, why = str(path), problem.strerror or str(problem)
    if left:
        names = ", ".join(str(path) for path in left)
        return NotApplied(
            f"{what} cannot be written: {why}; not everything could be put back",
            hint=f"the old text is in {names}",
        )
    return NotApplied(
        f"{what} cannot be written: {why}; no file was changed", hint="the patch is kept with the job"
    )
