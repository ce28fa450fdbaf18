"""From "the changes" or "the workspace" to files: what a review's scope means when its job starts."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.review_scope import Content, review_scope
from ensemble_lsp.core.commit_messages import COMMIT_MESSAGE, is_commit_message
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.commit_messages import with_change
from ensemble_lsp.engine.messages import JobStart, OpenDocument
from ensemble_lsp.engine.starting_point import with_starting_point
from ensemble_lsp.settings_sources import LoadedSettings

INDEX_VERSION = -1
"""The version of a text that no editor holds: one that git holds."""


SCOPE_TITLES = {"changes": "changes", "staged": "staged changes", "workspace": "the workspace"}
"""What a job is called that is about no single file."""

LOOKED_AT = frozenset({Status.DONE, Status.NOTHING, Status.OVER_BUDGET})
"""Ends of a review whose findings take the place of earlier ones: one that failed says nothing of the code."""


@dataclass(frozen=True, slots=True)
class Scoped:
    """A job whose files are known. `start` names them; `texts` are those that differ from the live ones."""

    start: JobStart
    notes: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict[str, str])
    contents: dict[str, Content] = field(default_factory=dict[str, Content])
    """Of a workspace: what each of its files held."""
    listed: tuple[str, ...] | None = None
    """Of a workspace: all of its files."""
    nothing: str = ""
    """Why there is nothing to look at; empty when there is something."""


async def scoped(start: JobStart, loaded: LoadedSettings) -> Scoped:
    """Return the job with its files, and what is staged in the place of unsaved texts; as it is without a scope.

    A search for a fault that names no file begins where its report points to. Raises `UsageError` where git cannot
    tell what changed, and where a report points nowhere.
    """
    if start.task.scope is None:
        return Scoped(await with_change(await with_starting_point(start, loaded), loaded))
    return await asyncio.to_thread(_scoped, start, loaded)


def _scoped(start: JobStart, loaded: LoadedSettings) -> Scoped:
    overlays = {item.path: SourceText(item.text) for item in start.documents}
    reader = Reader.of(
        Path(start.workspace),
        loaded.settings.context,
        trusted=start.trusted,
        overlays=overlays,
        rules=start.rules_folder,
    )
    scope = review_scope(start.task, reader)
    task = start.task.model_copy(
        update={
            "paths": scope.paths,
            "changed_lines": {} if start.task.all_lines else scope.changed_lines,
            "scope": None,
            "path": scope.paths[0] if len(scope.paths) == 1 else None,
        }
    )
    documents = start.documents
    if scope.recorded:
        # What is not staged or committed is not part of what is looked at, saved or not.
        documents = tuple(
            OpenDocument(path=path, text=source.text, version=INDEX_VERSION)
            for path, source in scope.texts.items()
        )
    return Scoped(
        start=start.model_copy(update={"task": task, "documents": documents}),
        notes=scope.notes,
        contents=scope.contents,
        listed=scope.listed,
        texts={path: source.text for path, source in scope.texts.items() if path in scope.changed_lines},
        nothing="" if scope.paths else _nothing(start.task),
    )


def _nothing(task: Task) -> str:
    if task.scope == "staged":
        return "nothing is staged that could be reviewed"
    if task.scope == "workspace":
        return "there is no file that could be reviewed"
    if task.base and ".." in task.base:
        return f"{task.base} changes nothing that could be reviewed"
    since = f"since {task.base}" if task.base else "since the last commit"
    return f"nothing changed {since} that could be reviewed"


def only_path(task: Task) -> str | None:
    """Return the file of a task that has one at most."""
    return task.paths[0] if task.paths else task.path


def with_lines(result: JobResult, found: Scoped) -> JobResult:
    """Return a review's result with what it looked at: whole files, or the lines of a change."""
    task = found.start.task
    reviewed = result.reviewed
    if not reviewed and result.status in LOOKED_AT and (path := only_path(task)) is not None:
        reviewed = (path,)
    return result.model_copy(
        update={
            "reviewed": reviewed,
            "changed_lines": {
                path: task.changed_lines[path] for path in reviewed if path in task.changed_lines
            },
            "texts": {path: found.texts[path] for path in reviewed if path in found.texts},
            "notes": (*found.notes, *result.notes),
        }
    )


def without_files(found: Scoped) -> JobResult:
    """Return the result of a review that has nothing to look at."""
    return JobResult(status=Status.NOTHING, reason=found.nothing, notes=found.notes)


def title_of(task: Task) -> str:
    """Return what a job is called in lists."""
    if task.scope is not None:
        return SCOPE_TITLES[task.scope] + (f" since {task.base}" if task.base else "")
    if task.paths:
        return f"{len(task.paths)} files"
    if task.path is None:
        return task.instruction[:60]
    if is_commit_message(task.path):
        return COMMIT_MESSAGE
    return f"{task.path}:{task.range.start + 1}" if task.range else task.path
