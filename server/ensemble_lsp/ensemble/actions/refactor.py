"""The action "refactor": an instruction over many files, behaviour kept, the plan beside the diff."""

from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.changing import change, without_file
from ensemble_lsp.ensemble.concluding import conclude
from ensemble_lsp.ensemble.plan_document import plan_document
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.preserving import REFACTOR


async def run(deliberation: Deliberation) -> JobResult:
    """Refactor as the instruction says; `document` is the plan. Never raises for what members or checks did."""
    case = await change(deliberation, REFACTOR)
    return without_file() if case is None else conclude(case, plan_document)
