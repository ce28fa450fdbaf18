"""The action "rewrite": prose in Markdown, text, docstrings and comments; several voices, one critique, a diff."""

from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.changing import change, without_file
from ensemble_lsp.ensemble.concluding import conclude
from ensemble_lsp.ensemble.passage import passage_of
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.rewording import REWRITE


async def run(deliberation: Deliberation) -> JobResult:
    """Rewrite the passage; never raises for what members or checks did."""
    region = passage_of(deliberation.task, deliberation.dossier, deliberation.checks)
    if region is None:
        return without_file()
    case = await change(deliberation, REWRITE, region=region)
    return without_file() if case is None else conclude(case)
