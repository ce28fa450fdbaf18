"""The action "rewrite": prose in Markdown, text, docstrings and comments; several voices, one critique, a diff."""

import dataclasses

from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.changing import change, without_file
from ensemble_lsp.ensemble.concluding import conclude
from ensemble_lsp.ensemble.passage import passage_of
from ensemble_lsp.ensemble.ports import Deliberation, Excerpt
from ensemble_lsp.ensemble.rewording import REWRITE


async def run(deliberation: Deliberation) -> JobResult:
    """Rewrite the passage; never raises for what members or checks did."""
    deliberation = _with_change(deliberation)
    region = passage_of(deliberation.task, deliberation.dossier, deliberation.checks)
    if region is None:
        return without_file()
    case = await change(deliberation, REWRITE, region=region)
    return without_file() if case is None else conclude(case)


def _with_change(deliberation: Deliberation) -> Deliberation:
    """Put the change that a commit message describes beside it."""
    change = deliberation.task.change
    if not change:
        return deliberation
    dossier = deliberation.dossier
    excerpt = Excerpt(
        path="the-change.diff",
        start_line=0,
        text=dossier.redact("the-change.diff", change),
        why="the change that the commit message is about",
    )
    return dataclasses.replace(
        deliberation, dossier=dataclasses.replace(dossier, related=(*dossier.related, excerpt))
    )
