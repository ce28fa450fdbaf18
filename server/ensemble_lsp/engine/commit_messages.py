"""The change that a commit message is about: put beside it when its wording is asked for."""

import asyncio
import os
from pathlib import Path

from ensemble_lsp.context.git import comparing, run_git
from ensemble_lsp.context.ignore import IgnoreRules
from ensemble_lsp.core.commit_messages import is_commit_message
from ensemble_lsp.core.events import Action
from ensemble_lsp.engine.messages import JobStart
from ensemble_lsp.settings_sources import LoadedSettings

CHARACTERS_AT_MOST = 16_000
"""Of the diff: some 5,000 tokens."""
_FILES_AT_MOST = 200
_OPTIONS = (
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--unified=2",
    "--ignore-submodules=all",
)


async def with_change(start: JobStart, loaded: LoadedSettings) -> JobStart:
    """Return a rewriting of a commit message with the change that it describes; any other job as it is.

    Without `task.base` that is what is staged, else the commit of that name. Files that may not be sent are left out.
    """
    task = start.task
    if task.action is not Action.REWRITE or task.change or not is_commit_message(task.path or ""):
        return start
    change = await asyncio.to_thread(_change, start, loaded)
    return start.model_copy(update={"task": task.model_copy(update={"change": change})})


def _change(start: JobStart, loaded: LoadedSettings) -> str:
    workspace, commit = Path(start.workspace).resolve(), start.task.base
    rules = IgnoreRules.load(workspace, loaded.settings.context, start.trusted, start.rules_folder)
    if commit is None:
        call = ["diff-index", "--cached", "HEAD"]
    else:
        call = ["diff-tree", "-r", "--root", "--no-commit-id", commit]
    filters = comparing(workspace)
    listed = run_git(workspace, *filters, *call, "-z", "--name-only", "--relative", *_OPTIONS[3:4]) or b""
    paths = [
        path for each in listed.split(b"\0") if each and rules.ignored(path := os.fsdecode(each)) is None
    ]
    if not paths:
        return ""
    printed = run_git(
        workspace, *filters, *call, "--patch", "--relative", *_OPTIONS, "--", *paths[:_FILES_AT_MOST]
    )
    text = (printed or b"").decode("utf-8", "replace")
    return text if len(text) <= CHARACTERS_AT_MOST else f"{text[:CHARACTERS_AT_MOST]}\n[the diff goes on]"
