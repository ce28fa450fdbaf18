"""Which files of a workspace go into its shadow copy.

Tracked and unignored files. Left out: secret files (`.env`, keys) that are not tracked, since nothing that runs
needs them more than the person needs them kept; special files; links that lead out of the workspace. Brought in
although ignored: single generated sources beside tracked ones (`_version.py`, built extensions) and packages'
metadata, without which an installed project does not import. Ignored folders of dependencies (`.venv`,
`node_modules`) are not copied but shown read-only.
"""

import os
import re
import stat
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from pathspec import GitIgnoreSpec

from ensemble_lsp.core.errors import CheckError

MAX_FILES = 60_000
MAX_BYTES = 3 << 30
"""Beyond these a copy is no longer a copy of a project, but of somebody's home folder."""
MAX_FILE_BYTES = 256 << 20
"""A single file above this is left out: data, not code."""

_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false")
_GIT_SECONDS = 30.0
_MAX_DEPTH = 4
"""Repositories inside repositories."""

_DEPENDENCY_FOLDERS = frozenset({"node_modules", "vendor", "bower_components", ".yarn", ".bundle"})
_NEVER = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".cache",
        ".direnv",
        ".gradle",
        ".idea",
        ".terraform",
        ".DS_Store",
    }
)
_SECRETS = (
    ".env",
    ".env.*",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    "credentials",
    "credentials.json",
    "service-account*.json",
    "secrets.*",
)
_NO_SECRETS = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.py", "*.pub")
_GENERATED = re.compile(
    r"\.(so|pyd|dylib)$|(^|_)version\.(py|go|ts|js)$|_pb2(_grpc)?\.pyi?$|\.pb\.(go|cc|h)$|\.d\.ts$"
    r"|(\.|_)gen(erated)?\.\w+$|^_[a-z]\w*\.pyi?$"
)
"""Names of generated sources. Others that are ignored, as a `local_settings.py`, tend to hold credentials."""
_MAX_GENERATED_BYTES = 32 << 20

Signature = tuple[int, int, int, int]
"""mode, size, modification time in nanoseconds, inode."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a shadow copy of `workspace` consists of. Paths are relative, with forward slashes."""

    workspace: Path
    files: Mapping[str, Signature]
    """Regular files and links."""
    dependencies: Mapping[str, Path]
    """Ignored folders that are shown read-only, and where they really are."""
    left_out: tuple[str, ...]
    """Secret or oversized files and links out of the workspace."""


def list_workspace(workspace: Path) -> Listing:
    """List what goes into the copy; raises `CheckError` when that is too much or cannot be read.

    `workspace` must be absolute and resolved. Blocks: call it in a thread.
    """
    tracked, others, ignored = _by_git(workspace, 0) or (set[str](), *_by_walking(workspace))
    files: dict[str, Signature] = {}
    left_out: list[str] = []
    dependencies = {path: workspace / path for path in _installed_below(others)}
    others = {path for path in others if not any(path.startswith(f"{folder}/") for folder in dependencies)}
    folders = _Folders(workspace)
    total = 0
    wanted = [(path, True) for path in tracked]
    wanted += [(path, False) for path in others if path not in tracked]
    wanted += [(path, False) for path in _kept_of_ignored(workspace, ignored, dependencies)]
    for path, is_tracked in wanted:
        if not folders.is_inside(path):
            left_out.append(path)
            continue
        found = _signature(workspace, path)
        if found is None:
            continue
        too_big = found[1] > MAX_FILE_BYTES
        if too_big or (not is_tracked and is_secret(path)) or _leads_out(workspace, path, found):
            left_out.append(path)
            continue
        files[path] = found
        total += found[1]
        if len(files) > MAX_FILES or total > MAX_BYTES:
            raise CheckError(
                f"{workspace} is too large to copy for checks (more than {MAX_FILES} files or {MAX_BYTES >> 30} GB)",
                hint="Open the project's own folder as the workspace, or ignore its data files.",
            )
    return Listing(workspace, files, dependencies, tuple(left_out))


def is_secret(path: str) -> bool:
    """Whether a file's name says that it holds credentials."""
    name = path.rsplit("/", 1)[-1].lower()
    if any(fnmatch(name, pattern) for pattern in _NO_SECRETS):
        return False
    return any(fnmatch(name, pattern) for pattern in _SECRETS)


class _Folders:
    """Whether the folders on the way to a path are real ones of the workspace, and not links."""

    def __init__(self, workspace: Path) -> None:
        self._root = str(workspace)
        self._known: dict[str, bool] = {"": True}

    def is_inside(self, path: str) -> bool:
        if path.startswith("/") or "\\.." in path or ".." in path.split("/"):
            return False
        return self._is_real(path.rpartition("/")[0])

    def _is_real(self, folder: str) -> bool:
        known = self._known.get(folder)
        if known is None:
            try:
                mode = os.lstat(f"{self._root}/{folder}").st_mode
            except OSError:
                mode = 0
            known = stat.S_ISDIR(mode) and self._is_real(folder.rpartition("/")[0])
            self._known[folder] = known
        return known


def _signature(workspace: Path, path: str) -> Signature | None:
    try:
        found = os.lstat(f"{workspace}/{path}")
    except OSError:
        return None  # tracked but deleted
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        return None
    return (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino)


def _leads_out(workspace: Path, path: str, found: Signature) -> bool:
    if not stat.S_ISLNK(found[0]):
        return False
    return not (workspace / path).resolve().is_relative_to(workspace)


def _by_git(workspace: Path, depth: int) -> tuple[set[str], set[str], list[str]] | None:
    tracked = _git_lines(workspace, "--cached")
    if tracked is None:
        return None
    others = set(_git_lines(workspace, "--others", "--exclude-standard") or ())
    ignored = _git_lines(workspace, "--others", "--ignored", "--exclude-standard", "--directory") or []
    result = (set[str](), set[str](), list(ignored))
    for paths, into in ((set(tracked), result[0]), (others, result[1])):
        for path in paths:
            inner = path.rstrip("/")
            if path.endswith("/") or _is_folder(workspace, path):  # a submodule, or a repository inside
                nested = _by_git(workspace / inner, depth + 1) if depth < _MAX_DEPTH else None
                for group, target in zip(nested or (), result, strict=False):
                    _extend(target, (f"{inner}/{item}" for item in group))
            else:
                into.add(path)
    return result


def _extend(target: set[str] | list[str], items: Iterable[str]) -> None:
    if isinstance(target, set):
        target.update(items)
    else:
        target.extend(items)


def _is_folder(workspace: Path, path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(f"{workspace}/{path}").st_mode)
    except OSError:
        return False


def _git_lines(workspace: Path, *options: str) -> list[str] | None:
    # A variable like GIT_DIR, set when we are called from a hook, would point git somewhere else.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    if not (workspace / ".git").exists() and not _inside_repository(workspace):
        return None
    try:
        completed = subprocess.run(
            [*_GIT, "ls-files", "-z", *options],
            cwd=workspace,
            env=environment,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if completed.returncode:
        return None  # "dubious ownership", a broken index: the folder is walked instead
    return [os.fsdecode(name) for name in completed.stdout.split(b"\0") if name]


def _inside_repository(workspace: Path) -> bool:
    return any((parent / ".git").exists() for parent in workspace.parents)


def _by_walking(workspace: Path) -> tuple[set[str], list[str]]:
    """List unignored files, and what is ignored, as git would with the same ignore files."""
    if not workspace.is_dir():
        raise CheckError(f"{workspace} is not a folder that can be read")
    files: set[str] = set()
    ignored: list[str] = []
    pending: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", ())]
    while pending:
        folder, rules = pending.pop()
        rules = (*rules, *_rules_of(workspace, folder))
        for name, is_folder in _entries(workspace / folder):
            path = f"{folder}/{name}" if folder else name
            if name in _NEVER:
                continue
            if _is_ignored(path + "/" * is_folder, rules) or (is_folder and is_dependency(workspace / path)):
                ignored.append(path + "/" * is_folder)
            elif is_folder:
                pending.append((path, rules))
            else:
                files.add(path)
        if len(files) > MAX_FILES:
            raise CheckError(
                f"{workspace} has more than {MAX_FILES} files and is no git repository",
                hint="Open the project's own folder as the workspace.",
            )
    return files, ignored


def _entries(folder: Path) -> Iterator[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name, entry.is_dir(follow_symlinks=False)
    except OSError:
        return  # not readable by us: not readable by a check either


def _rules_of(workspace: Path, folder: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    try:
        lines = (workspace / folder / ".gitignore").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    return ((f"{folder}/" if folder else "", GitIgnoreSpec.from_lines(lines)),)


def _is_ignored(path: str, rules: Iterable[tuple[str, GitIgnoreSpec]]) -> bool:
    ignored = False
    for prefix, spec in rules:
        verdict = spec.check_file(path[len(prefix) :]).include
        ignored = ignored if verdict is None else verdict
    return ignored


def is_dependency(folder: Path) -> bool:
    """Whether a folder holds installed dependencies: by its name, or a Python environment by its mark."""
    return folder.name in _DEPENDENCY_FOLDERS or (folder / "pyvenv.cfg").is_file()


def _kept_of_ignored(workspace: Path, ignored: Iterable[str], dependencies: dict[str, Path]) -> Iterator[str]:
    for path in ignored:
        name = path.rstrip("/").rsplit("/", 1)[-1]
        place = workspace / path
        if name in _NEVER:
            continue
        if place.is_dir() and is_dependency(place):
            dependencies[path.rstrip("/")] = place.resolve()
        elif path.endswith("/"):
            if name.endswith((".egg-info", ".dist-info")):
                yield from (f"{path}{inner}" for inner, is_folder in _entries(place) if not is_folder)
        elif _GENERATED.search(name) and _is_small(place):
            yield path


def _installed_below(paths: Iterable[str]) -> set[str]:
    """Return folders of dependencies among untracked files: somebody forgot to have them ignored."""
    found: set[str] = set()
    for path in paths:
        folder, slash, name = path.rpartition("/")
        if slash and name == "pyvenv.cfg":
            found.add(folder)
        elif "node_modules/" in path:
            parts = path.split("/")
            if "node_modules" in parts:
                found.add("/".join(parts[: parts.index("node_modules") + 1]))
    return found


def _is_small(place: Path) -> bool:
    try:
        return place.lstat().st_size <= _MAX_GENERATED_BYTES
    except OSError:
        return False
