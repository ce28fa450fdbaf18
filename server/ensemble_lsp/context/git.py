"""Git, called so that nothing that a repository configures can run."""

import os
import subprocess
import threading
from pathlib import Path

_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
_SECONDS = 20.0
_READ = 1 << 16


def git_root(workspace: Path) -> Path | None:
    """Return the folder of the work tree around `workspace`, or None outside of one. Starts no process."""
    for folder in (workspace, *workspace.parents):
        if (folder / ".git").exists():
            return folder
    return None


def list_with_git(workspace: Path, *arguments: str, limit: int) -> tuple[str, ...] | None:
    """Return at most `limit` paths of `git ls-files -z ARGUMENTS`, relative to `workspace`.

    None when git is missing, refuses (not a repository, dubious ownership) or takes longer than 20 s.
    """
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    command = [*_GIT, "ls-files", "-z", *arguments]
    try:
        with subprocess.Popen(
            command,
            cwd=workspace,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            return _read_paths(process, limit)
    except OSError:
        return None


def _read_paths(process: "subprocess.Popen[bytes]", limit: int) -> tuple[str, ...] | None:
    assert process.stdout is not None  # noqa: S101  (asked for with PIPE)
    paths: list[str] = []
    rest = b""
    overdue = threading.Timer(_SECONDS, process.kill)
    overdue.start()
    try:
        while len(paths) < limit and (block := process.stdout.read(_READ)):
            *whole, rest = (rest + block).split(b"\0")
            paths.extend(os.fsdecode(path) for path in whole)
        if len(paths) >= limit:
            process.kill()
            return tuple(paths[:limit])
        return tuple(paths) if process.wait() == 0 else None
    finally:
        overdue.cancel()
