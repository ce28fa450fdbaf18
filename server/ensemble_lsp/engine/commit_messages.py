"""The change that a commit message is about: put beside it when its wording is asked for."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from ensemble_lsp.context.git import comparing, run_git
from ensemble_lsp.context.git_changes import base_of
from ensemble_lsp.context.ignore import IgnoreRules
from ensemble_lsp.core.commit_messages import is_commit_message, repository_of_message
from ensemble_lsp.core.events import Action
from ensemble_lsp.engine.messages import JobStart
from ensemble_lsp.settings_sources import LoadedSettings

CHARACTERS_AT_MOST = 16_000
"""Of the diff: some 5,000 tokens."""
_FILES_AT_MOST = 200
_OPTIONS = (
    "--relative",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--unified=2",
    "--ignore-submodules=all",
)


async def with_change(start: JobStart, loaded: LoadedSettings) -> JobStart:
    """Return a rewriting of a commit message with the change that it describes; any other job as it is.

    With `task.base` that is the commit of that name. Else what is staged, and where nothing is, what differs from the
    last commit in the work tree: git's own `commit --all` shows its message while only its private index knows of it.
    Files that may not be sent are left out. The repository is the one around the message.
    """
    task = start.task
    if task.action is not Action.REWRITE or task.change or not is_commit_message(task.path or ""):
        return start
    change = await asyncio.to_thread(_change, start, loaded, task.path or "")
    return start.model_copy(update={"task": task.model_copy(update={"change": change})})


def _change(start: JobStart, loaded: LoadedSettings, path: str) -> str:
    workspace = Path(start.workspace).resolve()
    asked_in, inner = repository_of_message(path)
    folder = (workspace / asked_in).resolve()
    if not folder.is_relative_to(workspace) or not folder.is_dir():
        return ""
    rules = IgnoreRules.load(workspace, loaded.settings.context, start.trusted, start.rules_folder)

    def may_be_sent(name: str) -> bool:
        return rules.ignored((PurePosixPath(inner) / name).as_posix()) is None

    if start.task.base is not None:
        call = ("diff-tree", "-r", "--root", "--no-commit-id", start.task.base)
        return _printed(folder, call, may_be_sent)
    base = base_of(folder, None)
    return _printed(folder, ("diff", "--cached", base), may_be_sent) or _printed(
        folder, ("diff", base), may_be_sent
    )


def _printed(folder: Path, call: tuple[str, ...], may_be_sent: Callable[[str], bool]) -> str:
    filters = comparing(folder)
    listed = run_git(folder, *filters, *call, "-z", "--name-only", *_OPTIONS, "--") or b""
    paths = [path for each in listed.split(b"\0") if each and may_be_sent(path := os.fsdecode(each))]
    if not paths:
        return ""
    printed = run_git(folder, *filters, *call, "--patch", *_OPTIONS, "--", *paths[:_FILES_AT_MOST])
    text = (printed or b"").decode("utf-8", "replace")
    return text if len(text) <= CHARACTERS_AT_MOST else f"{text[:CHARACTERS_AT_MOST]}\n[the diff goes on]"
