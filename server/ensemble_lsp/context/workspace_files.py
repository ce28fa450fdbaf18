"""The files of a workspace: what git tracks or does not ignore, else a walk under the ignore files."""

import os
from pathlib import Path

from ensemble_lsp.context.git import git_root, list_with_git
from ensemble_lsp.context.ignore import IgnoreRules

FILE_LIMIT = 50_000
"""Paths looked at, at most; a larger workspace is cut off in the order of its listing."""


def workspace_files(workspace: Path, rules: IgnoreRules, *, limit: int = FILE_LIMIT) -> tuple[str, ...]:
    """Return the paths (relative, forward slashes) that the rules leave, sorted; at most `limit`.

    Listed paths may have gone from the disk, and may be symbolic links: who reads them checks.
    """
    workspace = workspace.resolve()
    listed = None
    if git_root(workspace) is not None:
        listed = list_with_git(workspace, "--cached", "--others", "--exclude-standard", limit=limit)
    if listed is None:
        return _walk(workspace, rules, limit)
    if rules.includes_any:
        ignored = list_with_git(workspace, "--others", "--ignored", "--exclude-standard", limit=limit)
        listed += tuple(path for path in ignored or () if rules.included(path))
    # Another repository inside this one is listed as a folder. A conflicted file is listed several times.
    paths = {path for path in listed if not path.endswith("/")}
    # What git lists it has filtered by the ignore files of the work tree: where others count, they decide.
    reason = rules.ignored if rules.from_elsewhere else rules.ignored_beside_git
    return tuple(sorted(path for path in paths if reason(path) is None))


def _walk(workspace: Path, rules: IgnoreRules, limit: int) -> tuple[str, ...]:
    found: list[str] = []
    folders = [""]
    entries_seen = 0
    while folders and entries_seen < limit * 4:
        folder = folders.pop()
        try:
            with os.scandir(workspace / folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError:
            continue
        entries_seen += len(entries)
        below: list[str] = []
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if rules.ignored(f"{path}/x") is None:
                    below.append(f"{path}/")
            elif rules.ignored(path) is None:
                found.append(path)
        folders.extend(reversed(below))
        if len(found) >= limit:
            break
    return tuple(sorted(found[:limit]))
