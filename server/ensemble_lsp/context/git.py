"""Git, called so that nothing that a repository configures can run.

A repository's own configuration names programs: hooks, a file monitor, filters, diff drivers, transports for objects
that a partial clone lacks. Hooks and monitor are switched off for every call, transports by an empty list of allowed
protocols; filters, which comparing with the work tree would run, by name (`comparing`).
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.core.errors import UsageError

_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
_SECONDS = 20.0
_READ = 1 << 16
_MOST_OUTPUT = 256 * 1024 * 1024
"""Bytes that one call may print; a call that prints more is ended."""
_FILTER_KEYS = ("clean", "smudge", "process", "required")


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """How one call ended: its status, what it printed, and its complaint as one text."""

    status: int
    out: bytes
    complaint: str


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
    command = [*_GIT, "ls-files", "-z", *arguments]
    try:
        with subprocess.Popen(
            command,
            cwd=workspace,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            return _read_paths(process, limit)
    except OSError:
        return None


def run_git(workspace: Path, *arguments: str, stdin: bytes = b"", limit: int = _MOST_OUTPUT) -> bytes | None:
    """Return what git prints, or None when it fails, prints more than `limit` bytes or takes longer than 20 s.

    Only for what reads the repository's objects, its index and its configuration; see `comparing` for the rest.
    Raises `UsageError` when there is no git.
    """
    try:
        with subprocess.Popen(
            [*_GIT, *arguments],
            cwd=workspace,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            return _read_all(process, stdin, limit)
    except OSError as problem:
        if shutil.which("git") is None:
            raise UsageError(
                "git is not installed, so there are no changes to look at",
                field="scope",
                hint="review files by name, or install git",
            ) from problem
        return None


def call_git(
    workspace: Path,
    *arguments: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] = {},
    seconds: float = _SECONDS,
) -> GitAnswer:
    """Return how a call ended, also when git refuses; status -1 when it took longer than `seconds`.

    `environment` is set beside ours, which knows no variable of git's but those. Raises `UsageError` without git.
    """
    try:
        done = subprocess.run(
            [*_GIT, *arguments],
            cwd=workspace,
            env={**_environment(), **environment},
            input=stdin,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return GitAnswer(-1, b"", f"git {arguments[0]} took longer than {seconds:.0f} s")
    except OSError as problem:
        raise UsageError(
            f"git cannot be started: {problem.strerror or problem}", hint="install git"
        ) from problem
    return GitAnswer(done.returncode, done.stdout, os.fsdecode(done.stderr).strip())


def comparing(workspace: Path) -> tuple[str, ...]:
    """Return git's options under which the work tree can be compared: every configured filter is switched off.

    Raises `UsageError` for a filter whose name cannot be switched off on a command line.
    """
    listed = run_git(workspace, "config", "--list", "-z", "--name-only") or b""
    names: dict[str, None] = {}
    for key in listed.split(b"\0"):
        head, _, last = os.fsdecode(key).rpartition(".")
        if head.lower().startswith("filter.") and last.lower() in _FILTER_KEYS:
            names[head[len("filter.") :]] = None
    options: list[str] = []
    for name in names:
        if "=" in name:
            raise UsageError(
                f"the repository configures a filter named {name!r}, which cannot be switched off",
                field="scope",
                hint="review files by name",
            )
        for key in ("clean", "smudge", "process"):
            options += ["-c", f"filter.{name}.{key}="]
        options += ["-c", f"filter.{name}.required=false"]
    return tuple(options)


def _environment() -> dict[str, str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return environment | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        # No object is fetched: a partial clone's remote may name any program.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }


def _read_all(process: "subprocess.Popen[bytes]", stdin: bytes, limit: int) -> bytes | None:
    assert process.stdout is not None  # noqa: S101  (asked for with PIPE)
    overdue = threading.Timer(_SECONDS, process.kill)
    overdue.start()
    writer = threading.Thread(target=_write_all, args=(process, stdin))
    writer.start()
    blocks: list[bytes] = []
    size = 0
    try:
        while block := process.stdout.read(_READ):
            blocks.append(block)
            size += len(block)
            if size > limit:
                process.kill()
                return None
        return b"".join(blocks) if process.wait() == 0 else None
    finally:
        overdue.cancel()
        writer.join()


def _write_all(process: "subprocess.Popen[bytes]", data: bytes) -> None:
    assert process.stdin is not None  # noqa: S101
    try:
        with process.stdin as pipe:
            pipe.write(data)
    except OSError:
        return  # it ended before it had read everything


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
