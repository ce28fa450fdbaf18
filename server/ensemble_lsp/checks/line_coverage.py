"""Which test runs which lines: one run of the executing witnesses, with pytest's plugin told to record them."""

from collections.abc import Awaitable, Callable, Sequence

from ensemble_lsp.checks.run_outcomes import read_results
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.witness import Witness
from ensemble_lsp.core.evidence import Evidence
from ensemble_lsp.ensemble.ports import Coverage


async def record_lines(
    witnesses: Sequence[Witness], site: Site, ask: Callable[[Witness], Awaitable[Evidence]]
) -> Coverage | None:
    """Return what the first witness that runs pytest says, else what the first one says, without lines."""
    first: Coverage | None = None
    for witness in witnesses:
        told = await ask(witness)
        lines = read_results(site.results[-1]).lines if site.results else {}
        ran = Coverage(outcomes=told.tests, lines=lines, evidence=told)
        if lines:
            return ran
        first = first or ran
    return first
