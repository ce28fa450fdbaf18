"""The action "rewrite": prose in Markdown, text, docstrings and comments; several voices, one critique, a diff."""

import dataclasses

from ensemble_lsp.core.commit_messages import is_commit_message, said_lines
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.changing import change, without_file
from ensemble_lsp.ensemble.concluding import conclude
from ensemble_lsp.ensemble.describing import DESCRIBE
from ensemble_lsp.ensemble.passage import passage_of
from ensemble_lsp.ensemble.ports import Deliberation, Excerpt
from ensemble_lsp.ensemble.prompts.shared import COMPACT_FOCUS_CHARACTERS
from ensemble_lsp.ensemble.rewording import REWRITE

NOTHING_TO_DESCRIBE = (
    "the message is empty, and there is no change that it could describe: stage one, or write a few words"
)


async def run(deliberation: Deliberation) -> JobResult:
    """Rewrite the passage; a commit message that nobody has begun is written from its change.

    Never raises for what members or checks did.
    """
    region = passage_of(deliberation.task, deliberation.dossier, deliberation.checks)
    if region is None:
        return without_file()
    undertaking = REWRITE
    if not is_commit_message(region.path):
        pass
    elif said_lines(deliberation.dossier.files[region.path].text) is not None:
        deliberation = _with_change(deliberation)
    elif deliberation.task.change:
        undertaking, deliberation = DESCRIBE, _about_change(deliberation)
    else:
        return JobResult(status=Status.ABSTAINED, reason=NOTHING_TO_DESCRIBE)
    case = await change(deliberation, undertaking, region=region)
    return without_file() if case is None else conclude(case)


def _with_change(deliberation: Deliberation) -> Deliberation:
    """Put the change that a commit message describes beside it."""
    dossier = deliberation.dossier
    if not deliberation.task.change:
        return deliberation
    related = (*dossier.related, _excerpt(deliberation))
    return dataclasses.replace(deliberation, dossier=dataclasses.replace(dossier, related=related))


def _about_change(deliberation: Deliberation) -> Deliberation:
    """Put the change in the place of a message that nobody has begun."""
    small = any(member.edit_format is EditFormat.WHOLE for member in deliberation.panel.members)
    excerpt = _excerpt(deliberation)
    if small and len(excerpt.text) > COMPACT_FOCUS_CHARACTERS:
        # Small models read slowly, and are shown nothing of an excerpt that is too long.
        cut = excerpt.text[:COMPACT_FOCUS_CHARACTERS].rpartition("\n")[0]
        excerpt = excerpt.model_copy(update={"text": cut})
    dossier = dataclasses.replace(deliberation.dossier, focus=excerpt, language="diff")
    return dataclasses.replace(deliberation, dossier=dossier)


def _excerpt(deliberation: Deliberation) -> Excerpt:
    return Excerpt(
        path="the-change.diff",
        start_line=0,
        text=deliberation.dossier.redact("the-change.diff", deliberation.task.change),
        why="the change that the commit message is about",
    )
