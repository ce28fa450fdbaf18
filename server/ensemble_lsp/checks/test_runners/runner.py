"""What the runners of all frameworks have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.witness import Project
from ensemble_lsp.core.evidence import Evidence
from ensemble_lsp.ensemble.framework import Unit


@dataclass(frozen=True, slots=True)
class Setting:
    """What a runner works with: the test file `path`, and the file of code that it is about."""

    project: Project
    interpreter: Interpreter
    path: str
    code: str


class TestRunner(Protocol):
    """Runs one test file in a site."""

    __test__ = False

    @property
    def compiles(self) -> bool:
        """Whether a compiler looks at the code first: what it refuses is no changed version of the code."""
        ...

    async def run(self, site: Site, units: Sequence[Unit], limits: Limits) -> Evidence:
        """Run at least the `units` of the file, all of it without any; each test by its id.

        `Outcome.ERROR`: the file or the code does not load, or the framework is not there.
        """
        ...
