"""What must not be sent and must not be edited: ignore files, settings, and the built-in lists.

The first rule that speaks decides:

1. version control folders and paths out of the workspace: never;
2. files that hold secrets by their name: never, unless `context.include` of a trusted folder names exactly
   this path, without a wildcard (redaction still applies to what it holds);
3. `context.exclude`: never (an untrusted folder may exclude, since that only tightens);
4. `context.include` of a trusted folder: allowed;
5. generated and installed files, `.ensembleignore`, then git's ignore rules: not sent. As in git, a file
   that is tracked is not ignored by `.gitignore`.
"""

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from pathspec import GitIgnoreSpec

from ensemble_lsp.context.git import git_root, list_with_git
from ensemble_lsp.context.withheld import generated_file, is_version_control, secret_file
from ensemble_lsp.settings import ContextTable

_IGNORE_FILE_BYTES = 256 * 1024
_TRACKED_LIMIT = 1_000_000
_WILDCARDS = frozenset("*?[]!")


class IgnoreRules:
    """The rules of one workspace. Ignore files are read when first needed and kept for its life."""

    def __init__(self, workspace: Path, settings: ContextTable, *, trusted: bool) -> None:
        self._workspace = workspace
        self._named = frozenset(
            pattern.removeprefix("./")
            for pattern in settings.include
            if trusted and _WILDCARDS.isdisjoint(pattern)
        )
        self._include = _spec(settings.include if trusted else ())
        self._exclude = _spec(settings.exclude)
        self._specs: dict[tuple[Path, str], GitIgnoreSpec | None] = {}

    @classmethod
    def load(cls, workspace: Path, settings: ContextTable, trusted: bool) -> "IgnoreRules":
        """Return the rules for `workspace`; `context.include` counts only when it is trusted."""
        return cls(workspace.resolve(), settings, trusted=trusted)

    def ignored(self, path: str) -> str | None:
        """Return why the path (relative, forward slashes) may not be sent or edited, or None."""
        reason = self.ignored_beside_git(path)
        if reason is not None or self.included(path):
            return reason
        return self._ignored_by_git(path)

    def ignored_beside_git(self, path: str) -> str | None:
        """Return the reason of all rules but git's own: for paths that git has listed."""
        if path.startswith("/") or ".." in path.split("/"):
            return "it is outside the workspace"
        if is_version_control(path):
            return "it belongs to version control"
        if secret_file(path) and path not in self._named:
            return "files of this name hold secrets"
        if self._exclude.match_file(path):
            return "context.exclude names it"
        if self.included(path):
            return None
        if generated_file(path):
            return "it is generated or installed, not written by hand"
        return self._by_files(path, ".ensembleignore", self._folders_within(path))

    def included(self, path: str) -> bool:
        """Whether `context.include` of a trusted folder brings the path back."""
        return path in self._named or self._include.match_file(path)

    def _ignored_by_git(self, path: str) -> str | None:
        top = git_root(self._workspace) or self._workspace
        above = [folder for folder in reversed(self._workspace.parents) if folder.is_relative_to(top)]
        reason = self._by_files(path, ".gitignore", [*above, *self._folders_within(path)])
        if reason is None and self._exclude_of_repository(top, path):
            reason = ".git/info/exclude names it"
        return reason if reason is not None and path not in self._tracked else None

    def _folders_within(self, path: str) -> list[Path]:
        folders = [self._workspace]
        for part in path.split("/")[:-1]:
            folders.append(folders[-1] / part)
        return folders

    def _by_files(self, path: str, name: str, folders: Iterable[Path]) -> str | None:
        full = self._workspace / path
        reason: str | None = None
        for folder in folders:
            spec = self._read(folder, name)
            if spec is None:
                continue
            # A deeper file overrides the ones above it, in both directions.
            verdict = spec.check_file(full.relative_to(folder).as_posix())
            if verdict.include is not None:
                shown = os.path.relpath(folder / name, self._workspace)
                reason = f"{shown} names it" if verdict.include else None
        return reason

    def _exclude_of_repository(self, top: Path, path: str) -> bool:
        spec = self._read(top / ".git" / "info", "exclude")
        return spec is not None and spec.match_file((self._workspace / path).relative_to(top).as_posix())

    def _read(self, folder: Path, name: str) -> GitIgnoreSpec | None:
        key = (folder, name)
        if key not in self._specs:
            self._specs[key] = _spec_of_file(folder / name)
        return self._specs[key]

    @cached_property
    def _tracked(self) -> frozenset[str]:
        if git_root(self._workspace) is None:
            return frozenset()
        return frozenset(list_with_git(self._workspace, "--cached", limit=_TRACKED_LIMIT) or ())


def _spec(patterns: Iterable[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)


def _spec_of_file(path: Path) -> GitIgnoreSpec | None:
    try:
        # O_NOFOLLOW as git does: an ignore file is never a symbolic link to somewhere else.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        try:
            data = file.read(_IGNORE_FILE_BYTES)
        except OSError:
            return None
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    try:
        return _spec(lines)
    except ValueError:
        return _spec(line for line in lines if _readable(line))


def _readable(line: str) -> bool:
    try:
        _spec([line])
    except ValueError:
        return False
    return True
