"""Where a search for a fault starts that names no file: what its words, its traceback and its tests point to."""

import asyncio
from pathlib import Path

from ensemble_lsp.context.definition_index import DefinitionIndex
from ensemble_lsp.context.likely_files import Place, likely_places
from ensemble_lsp.context.reading import Reader
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import LineRange, PlaceHint, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.messages import JobStart
from ensemble_lsp.settings_sources import LoadedSettings


async def with_starting_point(start: JobStart, loaded: LoadedSettings) -> JobStart:
    """Return the job with a file to start from and places to look at; as it is where it has a file.

    Raises `UsageError` where nothing in the report points to a file of the workspace.
    """
    task = start.task
    if task.action is not Action.LOCATE or task.path is not None:
        return start
    if not task.instruction.strip():
        raise UsageError(
            "there is nothing to go by",
            field="path",
            hint="name a file or a failing test, or give a traceback or the text of an issue",
        )
    reader = Reader.of(
        Path(start.workspace),
        loaded.settings.context,
        trusted=start.trusted,
        overlays={item.path: SourceText(item.text) for item in start.documents},
        rules=start.rules_folder,
    )
    places = await asyncio.to_thread(likely_places, task.instruction, reader, DefinitionIndex())
    if not places:
        raise UsageError(
            "nothing in the report points to a file of this workspace",
            field="path",
            hint=f"name a file; the workspace is {start.workspace}",
        )
    return start.model_copy(update={"task": _placed(task, places)})


def _placed(task: Task, places: tuple[Place, ...]) -> Task:
    """Begin at a failing test, which can be run; else at the best place in the code."""
    first = next((place for place in places if place.is_test and place.why == "the failing test"), None)
    first = first or next((place for place in places if not place.is_test), places[0])
    of_test = first.is_test and first.line is not None
    return task.model_copy(
        update={
            "path": first.path,
            "range": LineRange(start=first.line, end=first.line + 1)
            if of_test and first.line is not None
            else None,
            "places": tuple(PlaceHint(path=place.path, line=place.line, why=place.why) for place in places),
        }
    )
