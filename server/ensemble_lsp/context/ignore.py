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
from ensemble_lsp.context.regular_files import read_regular
from ensemble_lsp.context.withheld import (
    dependency_name,
    generated_file,
    is_version_control,
    secret_file,
)
from ensemble_lsp.settings import ContextTable

_IGNORE_FILE_BYTES = 256 * 1024
_TRACKED_LIMIT = 1_000_000
_STARS = 3
_WILDCARDS = frozenset("*?[]!")

_IgnoreFile = tuple[str, int, GitIgnoreSpec, str]
"""What stands before a path seen from the file's folder, what is cut off it, the rules, the file's name."""


class IgnoreRules:
    """The rules of one workspace. Ignore files are read when first needed and kept for its life."""

    def __init__(
        self, workspace: Path, settings: ContextTable, *, trusted: bool, files: Path | None = None
    ) -> None:
        self._workspace = workspace
        self._files = workspace if files is None else files
        """The folder that holds the ignore files: the workspace, or a copy of those of another commit."""
        self._named = frozenset(
            pattern.removeprefix("./")
            for pattern in settings.include
            if trusted and _WILDCARDS.isdisjoint(pattern)
        )
        self._include = _spec(settings.include) if trusted and settings.include else None
        self._exclude = _spec(settings.exclude) if settings.exclude else None
        self._specs: dict[Path, GitIgnoreSpec | None] = {}
        self._chains: dict[tuple[str, str], tuple[_IgnoreFile, ...]] = {}

    @classmethod
    def load(
        cls, workspace: Path, settings: ContextTable, trusted: bool, files: Path | None = None
    ) -> "IgnoreRules":
        """Return the rules for `workspace`; `context.include` counts only when it is trusted.

        `files` stands for the workspace where ignore files are looked for.
        """
        return cls(workspace.resolve(), settings, trusted=trusted, files=files and files.resolve())

    @property
    def from_elsewhere(self) -> bool:
        """Whether the ignore files are not the ones that git itself sees in the work tree."""
        return self._files != self._workspace

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
        if self._exclude is not None and self._exclude.match_file(path):
            return "context.exclude names it"
        if self.included(path):
            return None
        if generated_file(path):
            return "it is generated or installed, not written by hand"
        return self._by_files(path, ".ensembleignore")

    def dependency(self, path: str) -> str | None:
        """Return the name of an installed dependency's file that may be quoted, or None.

        `path` is absolute, or relative to the workspace. Such a file is never read, never listed and never edited:
        it is only what an editor's language server quotes from it.
        """
        name = dependency_name(path)
        if name is None or ".." in path.split("/") or is_version_control(path) or secret_file(path):
            return None
        if self._exclude is not None and any(
            self._exclude.match_file(each) for each in (path.lstrip("/"), name)
        ):
            return None
        return name

    @property
    def includes_any(self) -> bool:
        """Whether a trusted folder's `context.include` may bring something back."""
        return self._include is not None

    def included(self, path: str) -> bool:
        """Whether `context.include` of a trusted folder brings the path back."""
        return path in self._named or (self._include is not None and self._include.match_file(path))

    def _ignored_by_git(self, path: str) -> str | None:
        reason = self._by_files(path, ".gitignore")
        top = git_root(self._workspace) or self._workspace
        if reason is None:
            spec = self._read(top / ".git" / "info" / "exclude")
            excluded = spec is not None and spec.match_file(f"{self._below(top)}{path}")
            reason = ".git/info/exclude names it" if excluded else None
        return reason if reason is not None and path not in self._tracked else None

    def _by_files(self, path: str, name: str) -> str | None:
        reason: str | None = None
        for prefix, cut, spec, shown in self._chain(path.rpartition("/")[0], name):
            # A deeper file overrides the ones above it, in both directions.
            verdict = spec.check_file(f"{prefix}{path[cut:]}").include
            if verdict is not None:
                reason = f"{shown} names it" if verdict else None
        return reason

    def _chain(self, folder: str, name: str) -> tuple[_IgnoreFile, ...]:
        """Return the ignore files of this name that hold for files in `folder`, the outermost first."""
        chain = self._chains.get((folder, name))
        if chain is not None:
            return chain
        chain = self._outermost(name)
        at = ""
        for part in folder.split("/") if folder else ():
            at = f"{at}/{part}" if at else part
            spec = self._read(self._files / at / name)
            if spec is not None:
                chain = (*chain, ("", len(at) + 1, spec, f"{at}/{name}"))
        self._chains[folder, name] = chain
        return chain

    def _outermost(self, name: str) -> tuple[_IgnoreFile, ...]:
        top = git_root(self._workspace) if name == ".gitignore" else None
        above = [p for p in reversed(self._workspace.parents) if top is not None and p.is_relative_to(top)]
        found: list[_IgnoreFile] = []
        for folder in (*above, self._workspace):
            spec = self._read(self._counterpart(folder) / name)
            if spec is not None:
                shown = os.path.relpath(folder / name, self._workspace)
                found.append((self._below(folder), 0, spec, shown))
        return tuple(found)

    def _counterpart(self, folder: Path) -> Path:
        """Return what holds the ignore files of a folder above the workspace, or of the workspace."""
        return Path(os.path.normpath(self._files / os.path.relpath(folder, self._workspace)))

    def _below(self, folder: Path) -> str:
        """Return what stands before a workspace's path when it is seen from `folder`: "app/" or ""."""
        relative = self._workspace.relative_to(folder).as_posix()
        return "" if relative == "." else f"{relative}/"

    def _read(self, path: Path) -> GitIgnoreSpec | None:
        if path not in self._specs:
            self._specs[path] = _spec_of_file(path)
        return self._specs[path]

    @cached_property
    def _tracked(self) -> frozenset[str]:
        if git_root(self._workspace) is None:
            return frozenset()
        return frozenset(list_with_git(self._workspace, "--cached", limit=_TRACKED_LIMIT) or ())


def _spec(patterns: Iterable[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(kept for line in patterns if (kept := _bounded(line)) is not None)


def _bounded(pattern: str) -> str | None:
    """Return the pattern with no more than three stars in one part, where it could match for ever.

    Such a part is widened to `*`, so that it ignores more; a negated one is dropped.
    """
    parts = pattern.split("/")
    if all(part.count("*") <= _STARS for part in parts):
        return pattern
    if pattern.startswith("!"):
        return None
    return "/".join("*" if part.count("*") > _STARS else part for part in parts)


def _spec_of_file(path: Path) -> GitIgnoreSpec | None:
    try:
        # As in git, an ignore file is never a symbolic link to somewhere else.
        data = read_regular(path, _IGNORE_FILE_BYTES, follow_links=False)
    except OSError:
        return None
    if data is None:
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
