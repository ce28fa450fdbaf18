"""The action "fix": from blind drafts to one proposal with its evidence, or an honest abstention."""

from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.changing import change, without_file
from ensemble_lsp.ensemble.concluding import conclude
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.undertaking import FIX


async def run(deliberation: Deliberation) -> JobResult:
    """Deliberate about one change; the result says what came out and why, whatever members or checks did."""
    case = await change(deliberation, FIX)
    return without_file() if case is None else conclude(case)
