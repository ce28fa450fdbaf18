"""What `ensemble-lsp review` was asked to look at: files, folders, a change, what is staged."""

from collections.abc import Sequence
from pathlib import Path

from ensemble_lsp.cli.running import Request
from ensemble_lsp.cli.target import exists, parse_targets, workspace_of
from ensemble_lsp.context.git_changes import base_of, ends_of, names_commit, require_work_tree
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action

LAST_COMMIT = ""
"""The value of `--diff` without one."""


def review_request(
    paths: Sequence[str],
    *,
    diff: str | None,
    staged: bool,
    instruction: str,
    all_lines: bool = False,
    rules_from: str | None = None,
    fixes: int = 0,
    fresh: bool = False,
) -> Request:
    """Return the request; raises `UsageError` for what does not go together or is not there.

    A word behind `--diff` that is a file or folder and no commit is taken as a path.
    """
    if diff is not None and staged:
        raise UsageError("--diff and --staged are two different things to look at", field="--staged")
    if diff and exists(Path(diff)) and not names_commit(workspace_of(Path(diff)), diff):
        paths, diff = [diff, *paths], LAST_COMMIT
    folders = any(exists(Path(path)) and Path(path).is_dir() for path in paths)
    if diff is None and not staged and not folders:
        if not paths:
            raise UsageError(
                "nothing to review was named",
                field="PATH",
                hint="name files or folders, or say --diff or --staged",
            )
        targets = parse_targets(paths)
        return Request(
            Action.REVIEW,
            targets[0].workspace,
            targets,
            instruction=instruction,
            rules_from=rules_from,
            fixes=fixes,
        )
    workspace, within = _within(paths)
    if staged or diff is not None:
        # What git cannot tell is refused before a job is recorded and a person asked.
        require_work_tree(workspace)
        if diff is None or ends_of(workspace, diff) is None:
            base_of(workspace, diff or None)
    return Request(
        Action.REVIEW,
        workspace,
        instruction=instruction,
        scope="staged" if staged else "workspace" if diff is None else "changes",
        base=diff or None,
        within=within,
        all_lines=all_lines,
        fresh=fresh,
        rules_from=rules_from,
        fixes=fixes,
    )


def _within(paths: Sequence[str]) -> tuple[Path, tuple[str, ...]]:
    """Return the workspace and the paths in it that limit the review."""
    places = [Path(path).absolute() for path in paths] or [Path.cwd()]
    for named, place in zip(paths, places, strict=False):
        if not exists(place):
            raise UsageError(
                f"{named}: no such file or folder",
                field="PATH",
                hint="paths count from where you are; lines cannot be given for a change or a folder",
            )
    workspaces = list(dict.fromkeys(workspace_of(place).resolve() for place in places))
    if len(workspaces) > 1:
        raise UsageError(
            f"the paths belong to different workspaces: {', '.join(map(str, workspaces))}",
            field="PATH",
            hint="review one workspace at a time",
        )
    within = tuple(place.resolve().relative_to(workspaces[0]).as_posix() for place in places) if paths else ()
    return workspaces[0], within
